// The variables of a dashboard's JSON as variables of a scene.
import {
  ConstantVariable,
  CustomVariable,
  DataSourceVariable,
  IntervalVariable,
  QueryVariable,
  SceneVariableSet,
  TextBoxVariable,
} from "@grafana/scenes";
import { defect } from "./record.js";

/** All of them, in order; `source` is what takes the place of the data source that the dashboard names. */
export function variablesOf(dashboard, source) {
  const variables = (dashboard.templating?.list ?? []).map((each) => variableOf(each, source));
  return new SceneVariableSet({ variables: variables.filter((each) => each !== undefined) });
}

function variableOf(variable, source) {
  const { name, label, description, hide, skipUrlSync } = variable;
  const common = { name, label, description, hide: hide ?? 0, skipUrlSync };
  switch (variable.type) {
    case "datasource":
      return new DataSourceVariable({
        ...common,
        pluginId: source.type,
        value: source.uid,
        text: "Prometheus",
      });
    case "query":
      return new QueryVariable({
        ...common,
        ...choiceOf(variable),
        datasource: source,
        query: queryOf(variable),
        regex: variable.regex ?? "",
        refresh: variable.refresh,
        sort: variable.sort ?? 0,
      });
    case "custom":
      return new CustomVariable({ ...common, ...choiceOf(variable), query: textOf(variable.query) });
    case "textbox":
      return new TextBoxVariable({ ...common, value: textOf(variable.current?.value ?? variable.query) });
    case "constant":
      return new ConstantVariable({ ...common, value: textOf(variable.query) });
    case "interval":
      return new IntervalVariable({
        ...common,
        intervals: textOf(variable.query).split(","),
        value: textOf(variable.current?.value),
        autoEnabled: variable.auto ?? false,
        autoStepCount: variable.auto_count ?? 30,
        autoMinInterval: variable.auto_min ?? "10s",
      });
    default:
      defect(`the variable ${name} is of type ${variable.type}, which is not played here`);
      return undefined;
  }
}

/** What a list of values can be chosen from, and what is chosen at first. */
function choiceOf(variable) {
  const chosen = variable.current ?? {};
  const all = variable.includeAll && (chosen.value === undefined || [chosen.value].flat().includes("$__all"));
  return {
    isMulti: variable.multi ?? false,
    includeAll: variable.includeAll ?? false,
    allValue: variable.allValue || undefined,
    value: all ? ["$__all"] : (chosen.value ?? ""),
    text: all ? ["All"] : (chosen.text ?? ""),
  };
}

function queryOf(variable) {
  const query = variable.query ?? variable.definition;
  return typeof query === "string" ? { query, refId: `variable-${variable.name}` } : query;
}

function textOf(value) {
  return value === undefined || value === null ? "" : String(value);
}
