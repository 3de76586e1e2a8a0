// Annotations from Prometheus: every sample above zero is an event, neighbours are one region.
import { rangeUtil } from "@grafana/data";
import { of } from "rxjs";
import { legendOf } from "./frames.js";

const DEFAULT_STEP = "60s";

export const annotationSupport = {
  prepareAnnotation: (annotation) => {
    const target = annotation.target ?? {};
    return {
      ...annotation,
      target: {
        ...target,
        refId: target.refId || "Anno",
        expr: target.expr || annotation.expr || "",
        interval: target.interval || annotation.step || DEFAULT_STEP,
      },
    };
  },
  prepareQuery: (annotation) => annotation.target,
  processEvents: (annotation, frames) => of(frames.flatMap((frame) => eventsOf(annotation, frame))),
};

function eventsOf(annotation, frame) {
  const [time, value] = frame.fields;
  const labels = value.labels ?? {};
  const step = rangeUtil.intervalToSeconds(annotation.target.interval) * 1000;
  const tagKeys = (annotation.tagKeys ?? "").split(",").filter(Boolean);
  const about = {
    annotation,
    title: annotation.titleFormat ? legendOf(annotation.titleFormat, labels) : "",
    text: annotation.textFormat ? legendOf(annotation.textFormat, labels) : "",
    tags: tagKeys.filter((key) => labels[key]).map((key) => labels[key]),
  };
  const instants = time.values.filter((_, index) => value.values[index] > 0);
  const events = [];
  for (const at of instants) {
    const last = events.at(-1);
    if (last && last.timeEnd + step >= at) {
      last.timeEnd = at;
    } else {
      events.push({ ...about, time: at, timeEnd: at });
    }
  }
  return events;
}
