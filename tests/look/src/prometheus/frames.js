// Answers of Prometheus as Grafana's data frames, in the three formats a query can ask for.
//
// time_series: one frame per series; table: one frame, a column per label; heatmap: one frame, a
// column per bucket, the cumulative counts of Prometheus undone.
import { FieldType, toDataFrame } from "@grafana/data";

/** The frames of one query. */
export function framesOf(result, target, { stepSeconds, several }) {
  if (target.format === "table") {
    return [tableFrame(result, target, several)];
  }
  const frames = result.map((series) => seriesFrame(series, target, stepSeconds));
  return target.format === "heatmap" ? [heatmapFrame(frames, target.refId)] : frames;
}

/** `{{label}}` filled in; without a format the series as Prometheus writes it. */
export function legendOf(format, labels) {
  if (format === "__auto") {
    return undefined; // the library then names series by what tells them apart
  }
  if (format) {
    return format.replace(/\{\{\s*(.+?)\s*\}\}/g, (_, label) => labels[label] ?? "");
  }
  const { __name__: name = "", ...rest } = labels;
  const pairs = Object.entries(rest).map(([label, value]) => `${label}="${value}"`);
  return `${name}{${pairs.join(", ")}}`;
}

function numberOf(text) {
  const value = Number(text); // "NaN" becomes NaN and is drawn as a gap; "+Inf" needs its word
  return text === "+Inf" ? Infinity : text === "-Inf" ? -Infinity : value;
}

function seriesFrame(series, target, stepSeconds) {
  const samples = series.values ?? [series.value];
  const legend = legendOf(target.legendFormat, series.metric);
  const { __name__: name, ...labels } = series.metric;
  return toDataFrame({
    name: legend,
    refId: target.refId,
    fields: [
      {
        name: "Time",
        type: FieldType.time,
        values: samples.map(([at]) => at * 1000),
        config: { interval: stepSeconds * 1000 },
      },
      {
        name: name ?? "Value",
        type: FieldType.number,
        labels,
        values: samples.map(([, value]) => numberOf(value)),
        config: legend === undefined ? {} : { displayNameFromDS: legend },
      },
    ],
  });
}

function tableFrame(result, target, several) {
  const rows = result.flatMap(({ metric, values, value }) =>
    (values ?? [value]).map(([at, text]) => ({ at: at * 1000, metric, value: numberOf(text) })),
  );
  const labels = [...new Set(result.flatMap(({ metric }) => Object.keys(metric)))].sort();
  return toDataFrame({
    refId: target.refId,
    fields: [
      { name: "Time", type: FieldType.time, values: rows.map((row) => row.at), config: {} },
      ...labels.map((label) => ({
        name: label,
        type: FieldType.string,
        values: rows.map((row) => row.metric[label] ?? ""),
        config: { filterable: true },
      })),
      {
        name: several ? `Value #${target.refId}` : "Value",
        type: FieldType.number,
        values: rows.map((row) => row.value),
        config: {},
      },
    ],
  });
}

function heatmapFrame(frames, refId) {
  const bound = (frame) => numberOf(frame.fields[1].labels.le ?? "NaN");
  const ordered = [...frames].sort((a, b) => bound(a) - bound(b));
  const times = [...new Set(ordered.flatMap((frame) => frame.fields[0].values))].sort((a, b) => a - b);
  let below = new Map();
  const columns = ordered.map((frame) => {
    const [time, value] = frame.fields;
    const counts = new Map(time.values.map((at, index) => [at, value.values[index]]));
    const values = times.map((at) =>
      counts.has(at) ? Math.max(0, counts.get(at) - (below.get(at) ?? 0)) : null,
    );
    below = counts;
    return {
      name: value.labels.le,
      type: FieldType.number,
      labels: value.labels,
      values,
      config: value.config,
    };
  });
  return toDataFrame({
    refId,
    meta: { type: "heatmap-rows" },
    fields: [
      { name: "Time", type: FieldType.time, values: times, config: ordered[0]?.fields[0].config ?? {} },
      ...columns,
    ],
  });
}
