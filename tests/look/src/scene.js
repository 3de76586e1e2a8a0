// A dashboard's JSON as a scene of @grafana/scenes; the JSON is read as Grafana 12 writes it ("classic").
//
// Rows that the dashboard shows collapsed are opened, so that everything is drawn and checked.
import {
  behaviors,
  dataLayers,
  EmbeddedScene,
  SceneControlsSpacer,
  SceneDataLayerSet,
  SceneDataTransformer,
  sceneGraph,
  SceneGridItem,
  SceneGridLayout,
  SceneGridRow,
  SceneQueryRunner,
  SceneRefreshPicker,
  SceneTimePicker,
  SceneTimeRange,
  VariableValueSelectors,
  VizPanel,
} from "@grafana/scenes";
import { rangeUtil, standardTransformersRegistry } from "@grafana/data";
import { unknownOverrides } from "./fieldOptions.js";
import { panelPlugin } from "./panels/index.jsx";
import { settings } from "./prometheus/source.js";
import { defect } from "./record.js";
import { repeated } from "./repeat.js";
import { variablesOf } from "./variables.js";

const DATA_SOURCE = { uid: settings.uid, type: settings.type };

/** The scene without its panels; `historySeconds`, when given, is the longest time range it shows. */
export function buildScene(dashboard, historySeconds) {
  return new EmbeddedScene({
    $timeRange: new SceneTimeRange({ from: startOf(dashboard.time, historySeconds), to: dashboard.time.to }),
    $variables: variablesOf(dashboard, DATA_SOURCE),
    $data: new SceneDataLayerSet({ layers: layersOf(dashboard) }),
    $behaviors: [new behaviors.CursorSync({ sync: dashboard.graphTooltip ?? 0 })],
    controls: [
      new VariableValueSelectors({}),
      new SceneControlsSpacer(),
      new SceneTimePicker({}),
      new SceneRefreshPicker({}), // it does not refresh by itself: a picture is of one instant
    ],
    body: new SceneGridLayout({ children: [] }),
  });
}

/** Puts the panels in, once the variables have the values by which panels repeat and are zoomed. */
export function addPanels(scene, dashboard) {
  const panels = opened(dashboard.panels).map((panel) => zoomed(panel, scene));
  scene.state.body.setState({ children: gridOf(repeated(panels, scene)) });
}

/** A panel's own length of time, when it has one; it ends now, as that of every dashboard here. */
function zoomed(panel, scene) {
  return panel.timeFrom ? { ...panel, timeFrom: sceneGraph.interpolate(scene, panel.timeFrom) } : panel;
}

/** Whether every variable has its values. */
export function hasVariables(scene) {
  const { $variables: set } = scene.state;
  return (
    set.isActive && set.state.variables.every((variable) => !set.isVariableLoadingOrWaitingToUpdate(variable))
  );
}

function startOf(time, historySeconds) {
  const range = rangeUtil.convertRawToRange({ from: time.from, to: time.to });
  const seconds = (range.to.valueOf() - range.from.valueOf()) / 1000;
  return historySeconds !== undefined && historySeconds < seconds
    ? `now-${Math.floor(historySeconds)}s`
    : time.from;
}

function layersOf(dashboard) {
  return (dashboard.annotations?.list ?? [])
    .filter((annotation) => !annotation.builtIn)
    .map(
      (annotation) =>
        new dataLayers.AnnotationsDataLayer({
          name: annotation.name,
          isEnabled: annotation.enable,
          isHidden: annotation.hide,
          query: { ...annotation, datasource: DATA_SOURCE },
        }),
    );
}

/** The panels with those inside collapsed rows put below their row, everything after moved down. */
function opened(panels) {
  let shift = 0;
  return panels.flatMap((panel) => {
    const moved = { ...panel, gridPos: { ...panel.gridPos, y: panel.gridPos.y + shift } };
    if (panel.type !== "row" || !panel.panels?.length) {
      return [moved];
    }
    const top = Math.min(...panel.panels.map(({ gridPos }) => gridPos.y));
    const inside = panel.panels.map((each) => ({
      ...each,
      gridPos: { ...each.gridPos, y: each.gridPos.y - top + moved.gridPos.y + 1 },
    }));
    if (panel.collapsed) {
      shift += Math.max(...inside.map(({ gridPos }) => gridPos.y + gridPos.h)) - moved.gridPos.y - 1;
    }
    return [moved, ...inside];
  });
}

function gridOf(panels) {
  const children = [];
  let row;
  for (const panel of panels) {
    if (panel.type === "row") {
      row = new SceneGridRow({
        title: panel.title,
        x: 0,
        y: panel.gridPos.y,
        isCollapsed: false,
        children: [],
      });
      children.push(row);
    } else if (row) {
      row.setState({ children: [...row.state.children, itemOf(panel)] });
    } else {
      children.push(itemOf(panel));
    }
  }
  return children;
}

function itemOf(panel) {
  const { x, y, w, h } = panel.gridPos;
  return new SceneGridItem({ x, y, width: w, height: h, body: vizOf(panel) });
}

function vizOf(panel) {
  complain(panel);
  return new VizPanel({
    key: `panel-${panel.id}${panel.cloned ?? ""}`,
    $variables: panel.variables?.(),
    $timeRange: panel.timeFrom ? new SceneTimeRange({ from: `now-${panel.timeFrom}`, to: "now" }) : undefined,
    pluginId: panel.type,
    title: panel.title ?? "",
    description: panel.description,
    options: panel.options ?? {},
    fieldConfig: { defaults: {}, overrides: [], ...panel.fieldConfig },
    displayMode: panel.transparent ? "transparent" : "default",
    hoverHeader: !panel.title,
    $data: dataOf(panel),
  });
}

/** Says what of a panel this page does not play, so that a picture without it is not taken for the truth. */
function complain(panel) {
  for (const { id } of panel.transformations ?? []) {
    if (standardTransformersRegistry.getIfExists(id) === undefined) {
      defect(`${panel.title}: the transformation ${id} is not among the open libraries`);
    }
  }
  for (const id of unknownOverrides(panelPlugin(panel.type), panel.fieldConfig)) {
    defect(`${panel.title}: an override sets ${id}, which ${panel.type} does not know here`);
  }
}

function dataOf(panel) {
  if (!panel.targets?.length) {
    return undefined;
  }
  const runner = new SceneQueryRunner({
    datasource: DATA_SOURCE,
    queries: panel.targets.map((target) => ({ ...target, datasource: DATA_SOURCE })),
    maxDataPoints: panel.maxDataPoints ?? undefined,
    maxDataPointsFromWidth: true,
    minInterval: panel.interval ?? undefined,
    dataLayerFilter: { panelId: panel.id },
  });
  return panel.transformations?.length
    ? new SceneDataTransformer({ $data: runner, transformations: panel.transformations })
    : runner;
}
