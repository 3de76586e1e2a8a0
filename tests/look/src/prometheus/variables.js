// The functions that a query variable of Grafana's Prometheus source can call.
import { ownerOf, record } from "../record.js";
import { ask, labelValues } from "./client.js";

const LABEL_VALUES = /^label_values\((?:(.+),\s*)?([a-zA-Z_$][\w]*)\)\s*$/s;
const QUERY_RESULT = /^query_result\((.+)\)\s*$/s;

/** The values that a query finds, its variables filled in; the variable's regex filters them later. */
export async function variableValues(query, { scopedVars, range }) {
  const entry = {
    ...ownerOf(scopedVars?.__sceneObject?.value?.valueOf?.()),
    kind: "variable",
    refId: "",
    expression: query,
    withoutValue: 0,
  };
  try {
    const values = await found(query, range);
    record({ ...entry, series: values.length });
    return values.map((text) => ({ text, expandable: true }));
  } catch (error) {
    record({ ...entry, series: 0, error: error.message });
    throw error;
  }
}

async function found(query, range) {
  const labels = LABEL_VALUES.exec(query);
  if (labels) {
    return labelValues(labels[2], labels[1], range);
  }
  const asked = QUERY_RESULT.exec(query);
  if (!asked) {
    throw new Error(`a variable may call label_values or query_result here, not ${query}`);
  }
  const { result, error } = await ask("query", { query: asked[1], time: range.to.valueOf() / 1000 });
  if (error !== undefined) {
    throw new Error(error);
  }
  return result.map(({ metric, value: [at, value] }) => {
    const { __name__: name = "", ...rest } = metric;
    const pairs = Object.entries(rest).map(([label, text]) => `${label}="${text}"`);
    return `${name}{${pairs.join(",")}} ${value} ${at * 1000}`;
  });
}
