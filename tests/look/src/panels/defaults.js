// The options and the fields' custom options of each panel type, with Grafana's defaults.

const LEGEND = { showLegend: true, displayMode: "list", placement: "bottom", calcs: [] };
const HIDE_FROM = { tooltip: false, viz: false, legend: false };
const LAST = { calcs: ["lastNotNull"], fields: "", values: false };

const axis = {
  axisPlacement: "auto",
  axisLabel: "",
  axisColorMode: "text",
  axisBorderShow: false,
  axisWidth: undefined,
  axisGridShow: undefined,
  axisCenteredZero: false,
  axisSoftMin: undefined,
  axisSoftMax: undefined,
  scaleDistribution: { type: "linear" },
};

export const timeseries = {
  options: { legend: LEGEND, tooltip: { mode: "single", sort: "none" } },
  custom: {
    ...axis,
    drawStyle: "line",
    lineInterpolation: "linear",
    lineWidth: 1,
    lineStyle: undefined,
    lineColor: undefined,
    fillOpacity: 0,
    fillColor: undefined,
    fillBelowTo: undefined,
    gradientMode: "none",
    barAlignment: 0,
    barWidthFactor: 0.6,
    barMaxWidth: undefined,
    showPoints: "auto",
    pointSize: 5,
    pointColor: undefined,
    pointSymbol: undefined,
    showValues: false,
    spanNulls: false,
    insertNulls: false,
    stacking: { mode: "none", group: "A" },
    thresholdsStyle: { mode: "off" },
    transform: undefined,
    hideFrom: HIDE_FROM,
  },
};

export const stat = {
  options: {
    reduceOptions: LAST,
    orientation: "auto",
    textMode: "auto",
    colorMode: "value",
    graphMode: "area",
    justifyMode: "auto",
    percentChangeColorMode: "standard",
    showPercentChange: false,
    wideLayout: true,
  },
};

export const bargauge = {
  options: {
    reduceOptions: LAST,
    orientation: "auto",
    displayMode: "gradient",
    valueMode: "color",
    namePlacement: "auto",
    showUnfilled: true,
    sizing: "auto",
    minVizWidth: 8,
    minVizHeight: 16,
    maxVizHeight: 300,
    legend: { ...LEGEND, showLegend: false },
  },
};

export const barchart = {
  options: {
    orientation: "auto",
    stacking: "none",
    showValue: "auto",
    groupWidth: 0.7,
    barWidth: 0.97,
    legend: LEGEND,
    tooltip: { mode: "single", sort: "none" },
  },
  custom: {
    ...axis,
    lineWidth: 1,
    fillOpacity: 80,
    gradientMode: "none",
    thresholdsStyle: { mode: "off" },
    hideFrom: HIDE_FROM,
  },
};

export const table = {
  options: {
    frameIndex: 0,
    showHeader: true,
    cellHeight: "sm",
    sortBy: [],
    footer: { show: false, reducer: [] },
  },
  custom: {
    align: "auto",
    width: undefined,
    minWidth: 50,
    cellOptions: { type: "auto" },
    displayMode: undefined,
    inspect: false,
    filterable: undefined,
    hidden: undefined,
    hideHeader: false,
    wrapText: undefined,
    wrapHeaderText: undefined,
    footer: undefined,
    tooltip: undefined,
    hideFrom: HIDE_FROM,
  },
};

export const stateTimeline = {
  options: {
    showValue: "auto",
    mergeValues: true,
    alignValue: "left",
    rowHeight: 0.9,
    legend: LEGEND,
    tooltip: { mode: "single", sort: "none" },
  },
  custom: {
    lineWidth: 0,
    fillOpacity: 70,
    spanNulls: false,
    insertNulls: false,
    axisPlacement: "auto",
    hideFrom: HIDE_FROM,
  },
};

export const heatmap = {
  options: {
    calculate: false,
    color: {
      mode: "scheme",
      scheme: "Oranges",
      fill: "dark-orange",
      scale: "exponential",
      exponent: 0.5,
      steps: 64,
      reverse: false,
    },
    cellGap: 1,
    filterValues: { le: 1e-9 },
    legend: { show: true },
    rowsFrame: { layout: "auto" },
    yAxis: { axisPlacement: "left" },
    showValue: "auto",
    tooltip: { mode: "single" },
  },
  custom: { scaleDistribution: { type: "linear" }, hideFrom: HIDE_FROM },
};

export const piechart = {
  options: {
    reduceOptions: LAST,
    pieType: "pie",
    displayLabels: [],
    sort: "desc",
    legend: { ...LEGEND, placement: "right", values: [] },
  },
  custom: { hideFrom: HIDE_FROM },
};

export const xychart = {
  options: { mapping: "auto", series: [], legend: LEGEND, tooltip: { mode: "single", sort: "none" } },
  custom: {
    ...axis,
    show: "points",
    "pointSize.fixed": 5,
    "pointSize.min": undefined,
    "pointSize.max": undefined,
    pointShape: "circle",
    pointStrokeWidth: 1,
    fillOpacity: 50,
    lineWidth: 1,
    lineStyle: undefined,
    hideFrom: HIDE_FROM,
  },
};

export const text = { options: { mode: "markdown", content: "" } };
