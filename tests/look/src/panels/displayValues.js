// What the panels that reduce every field to a value have to show.
import { getFieldDisplayValues } from "@grafana/data";

/** `more` are further arguments of Grafana's function, such as `sparkline`. */
export function displayValues({ data, options, fieldConfig, replaceVariables, timeZone }, theme, more = {}) {
  return getFieldDisplayValues({
    fieldConfig,
    reduceOptions: options.reduceOptions,
    replaceVariables,
    theme,
    data: data.series,
    timeZone,
    ...more,
  });
}
