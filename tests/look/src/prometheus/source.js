// The Prometheus data source: what a dashboard's query becomes on the wire, and how its answer is framed.
//
// Grafana's own is part of its server and not among the open libraries. This one follows its
// documentation: $__interval, $__rate_interval, $__range, steps aligned to the range, at least
// the scrape interval; it speaks to a real Prometheus behind /prom.
import { DataSourceApi, rangeUtil } from "@grafana/data";
import { sceneGraph } from "@grafana/scenes";
import { ownerOf, record } from "../record.js";
import { annotationSupport } from "./annotations.js";
import { ask } from "./client.js";
import { framesOf } from "./frames.js";
import { variableValues } from "./variables.js";

/** As `timeInterval` in the provisioned data source. */
const SCRAPE_SECONDS = 1;

/** What Grafana would read from its database of data sources. */
export const settings = {
  id: 1,
  uid: "prometheus",
  name: "Prometheus",
  type: "prometheus",
  isDefault: true,
  access: "proxy",
  readOnly: true,
  meta: { id: "prometheus", name: "Prometheus", info: { logos: {} }, module: "", baseUrl: "" },
  jsonData: { timeInterval: `${SCRAPE_SECONDS}s` },
};

export class Prometheus extends DataSourceApi {
  constructor() {
    super(settings);
    this.interval = settings.jsonData.timeInterval;
    this.annotations = annotationSupport;
  }

  /** The values of a query variable. */
  async metricFindQuery(query, options) {
    const text = typeof query === "string" ? query : query.query;
    const scopedVars = { ...options.scopedVars, ...times(SCRAPE_SECONDS, options.range) };
    return variableValues(interpolate(text, scopedVars), options);
  }

  /** Runs all targets of one panel; the first that fails fails the panel, as in Grafana. */
  async query(request) {
    const targets = request.targets.filter((target) => !target.hide && target.expr);
    const several = targets.length > 1;
    const answers = await Promise.all(targets.map((target) => answer(target, request, several)));
    const failed = answers.find((each) => each.error !== undefined);
    if (failed) {
      throw new Error(failed.error);
    }
    return { data: answers.flatMap((each) => each.frames) };
  }
}

async function answer(target, request, several) {
  const stepSeconds = stepOf(target, request);
  const expression = interpolate(target.expr, {
    ...request.scopedVars,
    ...times(stepSeconds, request.range),
  });
  const from = Math.floor(request.range.from.valueOf() / 1000 / stepSeconds) * stepSeconds;
  const to = Math.floor(request.range.to.valueOf() / 1000 / stepSeconds) * stepSeconds;
  const instant = target.instant && !target.range;
  const { result, error } = await (instant
    ? ask("query", { query: expression, time: request.range.to.valueOf() / 1000 })
    : ask("query_range", { query: expression, start: from, end: to, step: stepSeconds }));
  record({
    ...ownerOf(request.scopedVars?.__sceneObject?.value?.valueOf?.()),
    refId: target.refId,
    expression,
    error,
    series: (result ?? []).length,
    withoutValue: (result ?? []).filter((series) => !hasValue(series)).length,
  });
  return { error, frames: error === undefined ? framesOf(result, target, { stepSeconds, several }) : [] };
}

/** Whole seconds: the largest of what suits the width, the target's minimum and the scrape interval. */
function stepOf(target, request) {
  const least = target.interval
    ? rangeUtil.intervalToSeconds(interpolate(target.interval, request.scopedVars))
    : 0;
  return Math.max(SCRAPE_SECONDS, least, Math.ceil(request.intervalMs / 1000));
}

function times(stepSeconds, range) {
  const rangeSeconds = Math.round((range.to.valueOf() - range.from.valueOf()) / 1000);
  const rateSeconds = Math.max(stepSeconds + SCRAPE_SECONDS, 4 * SCRAPE_SECONDS);
  const values = {
    __interval: `${stepSeconds}s`,
    __interval_ms: stepSeconds * 1000,
    __rate_interval: `${rateSeconds}s`,
    __rate_interval_ms: rateSeconds * 1000,
    __range: `${rangeSeconds}s`,
    __range_s: rangeSeconds,
    __range_ms: rangeSeconds * 1000,
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { text: value, value }]));
}

/** Variables as Grafana's Prometheus source writes them: several values become one regular expression. */
function interpolate(text, scopedVars) {
  const scene = scopedVars?.__sceneObject?.value?.valueOf?.();
  return sceneGraph.interpolate(scene, text, scopedVars, (value, variable) => {
    if (Array.isArray(value)) {
      const each = value.map(escaped);
      return each.length === 1 ? each[0] : `(${each.join("|")})`;
    }
    return typeof value === "string" && (variable.multi || variable.includeAll) ? escaped(value) : value;
  });
}

function escaped(value) {
  return String(value)
    .replace(/\\/g, "\\\\\\\\")
    .replace(/[$^*{}[\]+?.()|]/g, "\\\\$&");
}

function hasValue(series) {
  return (series.values ?? [series.value]).some(([, value]) => Number.isFinite(Number(value)));
}
