// One call of Prometheus's HTTP API; knows no dashboard.

/** The result of a query as a list of series, or the server's words why there is none. */
export async function ask(path, parameters) {
  const answer = await get(path, parameters);
  if (answer.status !== "success") {
    return { error: `${answer.errorType}: ${answer.error}` };
  }
  const { resultType, result } = answer.data;
  return {
    result: resultType === "scalar" || resultType === "string" ? [{ metric: {}, value: result }] : result,
  };
}

/** The values of a label in a time range, of the series that match if any are named. */
export async function labelValues(label, match, range) {
  const answer = await get(`label/${encodeURIComponent(label)}/values`, {
    start: range.from.valueOf() / 1000,
    end: range.to.valueOf() / 1000,
    ...(match ? { "match[]": match } : {}),
  });
  if (answer.status !== "success") {
    throw new Error(`${answer.errorType}: ${answer.error}`);
  }
  return answer.data;
}

async function get(path, parameters) {
  const response = await fetch(`/prom/api/v1/${path}?${new URLSearchParams(parameters)}`);
  try {
    return await response.json();
  } catch {
    return { status: "error", errorType: "http", error: `${response.status} ${response.statusText}` };
  }
}
