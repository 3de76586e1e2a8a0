// What Grafana's core registers at start, without which its libraries do nothing.
//
// Field options, transformations, panel plug-ins and the data source; no dashboard is known here.
import {
  LoadingState,
  standardEditorsRegistry,
  standardFieldConfigEditorRegistry,
  standardTransformers,
  standardTransformersRegistry,
} from "@grafana/data";
import {
  setBackendSrv,
  setDataSourceSrv,
  setEchoSrv,
  setPluginImportUtils,
  setRunRequest,
} from "@grafana/runtime";
import { from, of } from "rxjs";
import { catchError, map, startWith } from "rxjs/operators";
import { editors, standardOptions } from "./fieldOptions.js";
import { panelPlugin } from "./panels/index.jsx";
import { Prometheus, settings } from "./prometheus/source.js";

/** Registers everything; to be called once, before the scene is built. */
export function prepareGrafana() {
  standardEditorsRegistry.setInit(() => editors);
  standardFieldConfigEditorRegistry.setInit(() => standardOptions());
  standardTransformersRegistry.setInit(() => [...transformations().values()]);
  setPluginImportUtils({
    importPanelPlugin: (id) => Promise.resolve(panelPlugin(id)),
    getPanelPluginFromCache: panelPlugin,
  });
  const source = new Prometheus();
  setDataSourceSrv({
    get: () => Promise.resolve(source),
    getList: () => [settings],
    getInstanceSettings: () => settings,
    reload() {},
    registerRuntimeDataSource() {},
  });
  setRunRequest(runRequest);
  setEchoSrv({ flush() {}, addBackend() {}, addEvent() {} });
  setBackendSrv({
    fetch() {
      throw new Error("there is no Grafana server behind this page");
    },
    get: () => Promise.resolve({}),
  });
}

/** By id: the library lists some under two names. */
function transformations() {
  return new Map(
    Object.values(standardTransformers).map((transformer) => [
      transformer.id,
      { id: transformer.id, name: transformer.name, transformation: () => Promise.resolve(transformer) },
    ]),
  );
}

function runRequest(source, request) {
  const base = { timeRange: request.range, request, annotations: [] };
  return from(source.query(request)).pipe(
    map((answer) => ({ ...base, state: LoadingState.Done, series: answer.data })),
    catchError((error) =>
      of({ ...base, state: LoadingState.Error, series: [], errors: [{ message: error.message }] }),
    ),
    startWith({ ...base, state: LoadingState.Loading, series: [] }),
  );
}
