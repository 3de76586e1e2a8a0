// Which component draws which panel type, with the type's default options.
//
// The panels themselves belong to Grafana's server and are not among its open libraries. Each here
// puts Grafana's own component to work where there is one (timeseries, stat, bargauge, table); bar
// chart, state timeline, heatmap, pie chart and XY chart are drawn by us, on Grafana's axes and legends.
import { cacheFieldDisplayNames, PanelPlugin } from "@grafana/data";
import { declareCustom } from "../fieldOptions.js";
import { defect } from "../record.js";
import { BarChartPanel } from "./BarChartPanel.jsx";
import { BarGaugePanel } from "./BarGaugePanel.jsx";
import { HeatmapPanel } from "./HeatmapPanel.jsx";
import { PieChartPanel } from "./PieChartPanel.jsx";
import { StateTimelinePanel } from "./StateTimelinePanel.jsx";
import { StatPanel } from "./StatPanel.jsx";
import { TablePanel } from "./TablePanel.jsx";
import { TextPanel } from "./TextPanel.jsx";
import { TimeSeriesPanel } from "./TimeSeriesPanel.jsx";
import { UnknownPanel } from "./UnknownPanel.jsx";
import { XYChartPanel } from "./XYChartPanel.jsx";
import * as defaults from "./defaults.js";

const TYPES = {
  timeseries: { component: TimeSeriesPanel, color: "palette-classic", ...defaults.timeseries },
  stat: { component: StatPanel, color: "thresholds", ...defaults.stat },
  bargauge: { component: BarGaugePanel, color: "thresholds", ...defaults.bargauge },
  barchart: { component: BarChartPanel, color: "palette-classic", ...defaults.barchart },
  table: { component: TablePanel, color: "thresholds", noPadding: true, ...defaults.table },
  "state-timeline": { component: StateTimelinePanel, color: "continuous-GrYlRd", ...defaults.stateTimeline },
  heatmap: { component: HeatmapPanel, color: "thresholds", ...defaults.heatmap },
  piechart: { component: PieChartPanel, color: "palette-classic", ...defaults.piechart },
  xychart: { component: XYChartPanel, color: "palette-classic", ...defaults.xychart },
  text: { component: TextPanel, color: "thresholds", skipDataQuery: true, ...defaults.text },
};

const plugins = new Map();

/** The plug-in of a panel type; of a type that is not drawn here, one that says so. */
export function panelPlugin(id) {
  if (!plugins.has(id)) {
    plugins.set(id, pluginOf(id));
  }
  return plugins.get(id);
}

/** The component, with the fields' names computed before: tables and colours by name only read them. */
function named(Component) {
  return function Named(props) {
    cacheFieldDisplayNames(props.data.series);
    return <Component {...props} />;
  };
}

function pluginOf(id) {
  const type = TYPES[id];
  if (type === undefined) {
    defect(`panels of type ${id} are not drawn here`);
  }
  const { component = UnknownPanel, color, custom = {}, options = {}, noPadding, skipDataQuery } = type ?? {};
  const plugin = new PanelPlugin(named(component));
  plugin.meta = { id, name: id, type: "panel", info: { version: "", logos: {} }, skipDataQuery };
  plugin
    .setDefaults(options)
    .setDataSupport({ annotations: true, alertStates: false })
    .useFieldConfig({
      standardOptions: { color: { defaultValue: { mode: color ?? "thresholds" } } },
      useCustomConfig: declareCustom(custom),
    });
  return noPadding ? plugin.setNoPadding() : plugin;
}
