// The XY chart panel in manual mapping: points from columns of a table. Scales, axes and legend are
// Grafana's; points are drawn by us. Lines, colours by value and sizes by value are not played here.
import { formattedValueToString, getFieldDisplayName, getFieldMatcher, getFieldSeriesColor } from "@grafana/data";
import { UPlotChart, UPlotConfigBuilder, useTheme2, VizLayout, VizLegend } from "@grafana/ui";
import { useMemo } from "react";
import { isEmpty, NoData } from "./NoData.jsx";

const FACETED = 2;

export function XYChartPanel({ data, options, fieldConfig, width, height, timeZone }) {
  const theme = useTheme2();
  if (isEmpty(data)) {
    return <NoData fieldConfig={fieldConfig} />;
  }
  if (options.mapping !== "manual") {
    throw new Error(`the mapping ${options.mapping} of an XY chart is not played here`);
  }
  const series = options.series.flatMap((each) => seriesOf(each, data.series, theme));
  return (
    <VizLayout width={width} height={height} legend={legendOf(series, options)}>
      {(chartWidth, chartHeight) => (
        <Chart series={series} theme={theme} timeZone={timeZone} width={chartWidth} height={chartHeight} />
      )}
    </VizLayout>
  );
}

/** One series, or none where its columns are missing, as in Grafana. */
function seriesOf({ frame: which, x: acrossWhat, y: upWhat, name }, frames, theme) {
  const frame = frames[which.matcher.options];
  const numbers = frame?.fields.filter((field) => field.type === "number") ?? [];
  const matching = ({ matcher }) => numbers.find((field) => getFieldMatcher(matcher)(field, frame, frames));
  const [x, y] = [matching(acrossWhat), matching(upWhat)];
  if (x === undefined || y === undefined) {
    return [];
  }
  if (y.config.custom.show !== "points") {
    throw new Error(`an XY chart that shows ${y.config.custom.show} is not played here`);
  }
  return [{ x, y, name: name?.fixed ?? getFieldDisplayName(y, frame, frames), color: getFieldSeriesColor(y, theme).color }];
}

function Chart({ series, theme, timeZone, width, height }) {
  const builder = useMemo(() => builderOf(series, theme, timeZone), [series, theme, timeZone]);
  const data = [null, ...series.map(({ x, y }) => [x.values, y.values])];
  return <UPlotChart config={builder} data={data} width={width} height={height} />;
}

function builderOf(series, theme, timeZone) {
  const builder = new UPlotConfigBuilder(timeZone);
  builder.setMode(FACETED);
  addAxis(builder, { key: "x", field: series[0].x, placement: "bottom", orientation: 0, theme, timeZone });
  for (const { y, color } of series) {
    const key = y.config.unit ?? "y";
    addAxis(builder, { key, field: y, placement: "left", orientation: 1, theme, timeZone });
    builder.addSeries({
      facets: [
        { scale: "x", auto: true },
        { scale: key, auto: true },
      ],
      pathBuilder: () => null,
      pointsBuilder: () => null,
      scaleKey: "",
      lineColor: color,
      theme,
      show: true,
    });
  }
  builder.addHook("draw", (u) => series.forEach((each) => drawPoints(u, each)));
  return builder;
}

function addAxis(builder, { key, field, placement, orientation, theme, timeZone }) {
  const { min, max, custom } = field.config;
  builder.addScale({
    scaleKey: key,
    auto: true,
    orientation,
    direction: 1,
    distribution: custom.scaleDistribution?.type,
    log: custom.scaleDistribution?.log,
    min,
    max,
    softMin: custom.axisSoftMin,
    softMax: custom.axisSoftMax,
    decimals: field.config.decimals,
  });
  builder.addAxis({
    scaleKey: key,
    placement,
    label: custom.axisLabel,
    grid: { show: custom.axisGridShow },
    formatValue: (value, decimals) => formattedValueToString(field.display(value, decimals)),
    theme,
    timeZone,
  });
}

function drawPoints(u, { x, y, color }) {
  const { pointSize, pointShape, pointStrokeWidth, fillOpacity } = y.config.custom;
  const size = pointSize.fixed * devicePixelRatio;
  const { ctx } = u;
  ctx.save();
  ctx.fillStyle = ctx.strokeStyle = color;
  ctx.lineWidth = pointStrokeWidth;
  x.values.forEach((value, index) => {
    if (!Number.isFinite(value) || !Number.isFinite(y.values[index])) {
      return;
    }
    const [left, top] = [u.valToPos(value, "x", true), u.valToPos(y.values[index], y.config.unit ?? "y", true)];
    ctx.beginPath();
    if (pointShape === "square") {
      ctx.rect(left - size / 2, top - size / 2, size, size);
    } else {
      ctx.arc(left, top, size / 2, 0, 2 * Math.PI);
    }
    ctx.globalAlpha = fillOpacity / 100;
    ctx.fill();
    ctx.globalAlpha = 1;
    ctx.stroke();
  });
  ctx.restore();
}

function legendOf(series, { legend }) {
  if (!legend.showLegend) {
    return null;
  }
  const items = series.map(({ name, color }) => ({ label: name, color, yAxis: 1 }));
  return (
    <VizLayout.Legend placement={legend.placement}>
      <VizLegend placement={legend.placement} items={items} displayMode={legend.displayMode} readonly />
    </VizLayout.Legend>
  );
}
