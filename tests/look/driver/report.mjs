// The verdict on what was seen, and how it is printed.

/** What is wrong with a dashboard, one sentence each; `allowed` is the one panel that may be empty. */
export function failuresOf(seen, allowed) {
  if (seen.failure) {
    return [`the page failed: ${seen.failure}`];
  }
  const failedQueries = new Set(seen.queries.filter((query) => query.error !== undefined).map(({ key }) => key));
  return [
    ...seen.unfinished.map((title) => `${title}: its queries did not finish`),
    ...seen.queries
      .filter((query) => query.error !== undefined)
      .map((query) => `${called(query)} failed: ${query.error}\n    ${query.expression}`),
    ...seen.queries
      .filter((query) => query.error === undefined && isEmpty(query) && query.title !== allowed?.panel)
      .map(
        (query) =>
          `${called(query)} returned ${query.series === 0 ? "no series" : "no value"}\n    ${query.expression}`,
      ),
    ...seen.failed.filter(({ key }) => !failedQueries.has(key)).map(({ text }) => text),
    ...unique(seen.withoutData.filter((title) => title !== allowed?.panel)).map(
      (title) => `${title}: shows "No data"`,
    ),
    ...seen.broken.map((text) => `a panel broke: ${text}`),
    ...seen.crashes.map((text) => `the page threw: ${text}`),
    ...unique(seen.defects),
  ];
}

/** What does not fail but is worth a look. */
export function notesOf(seen, allowed) {
  const partly = seen.queries.filter((query) => query.withoutValue > 0 && !isEmpty(query));
  const empty = allowed && seen.queries.some((query) => query.title === allowed.panel && isEmpty(query));
  return unique([
    ...(empty ? [`${allowed.panel}: empty, and may be: ${allowed.reason}`] : []),
    ...partly.map(
      (query) => `${called(query)}: ${query.withoutValue} of ${query.series} series without a value`,
    ),
    ...seen.scrolling.map((title) => `${title}: something in it scrolls, so not all of it is seen`),
  ]);
}

/** Prints the table, then what is wrong; whether nothing is. */
export function printTable(rows) {
  const table = rows.map((row) => [
    row.name,
    row.theme,
    row.panels.length,
    row.queries.length,
    row.queries.reduce((sum, query) => sum + query.series, 0),
    row.failures.length === 0 ? "ok" : `${row.failures.length} failed`,
  ]);
  console.log();
  printColumns([["dashboard", "theme", "panels", "queries", "series", "result"], ...table]);
  console.log();
  for (const row of rows) {
    console.log(`${row.name} (${row.theme}): ${row.picture}`);
    row.failures.forEach((text) => console.log(`  FAILED ${text}`));
    row.notes.forEach((text) => console.log(`  note   ${text}`));
  }
  console.log("\nRendered with Grafana's libraries, not in a Grafana server.");
  return rows.every((row) => row.failures.length === 0);
}

function printColumns(lines) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((cells) => String(cells[column]).length)));
  for (const cells of lines) {
    console.log(
      cells
        .map((cell, column) =>
          typeof cell === "number" ? String(cell).padStart(widths[column]) : cell.padEnd(widths[column]),
        )
        .join("  ")
        .trimEnd(),
    );
  }
}

function called({ kind, title, refId }) {
  return kind === "panel" ? `${title} (query ${refId})` : `${kind} ${title}`;
}

function isEmpty(query) {
  return query.series === query.withoutValue;
}

function unique(texts) {
  return [...new Set(texts)];
}
