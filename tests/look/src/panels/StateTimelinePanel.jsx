// The state timeline panel: one row per series, one box per stretch of equal values. Drawn by us.
import { getFieldDisplayName } from "@grafana/data";
import { useTheme2, VizLayout, VizLegend } from "@grafana/ui";
import { isEmpty, NoData } from "./NoData.jsx";
import { PaintedChart, timeAxis } from "./PaintedChart.jsx";

const TEXT_PADDING = 4;

export function StateTimelinePanel({ data, options, fieldConfig, width, height, timeRange, timeZone }) {
  const theme = useTheme2();
  if (isEmpty(data)) {
    return <NoData fieldConfig={fieldConfig} />;
  }
  const rows = data.series.flatMap((frame) => rowsOf(frame, data.series, timeRange, options.mergeValues));
  const ticks = rows.map((row, index) => [rows.length - index - 0.5, row.name]);
  const paint = (u) => rows.forEach((row, index) => drawRow(u, row, rows.length - index, options, theme));
  return (
    <VizLayout width={width} height={height} legend={legendOf(rows, options)}>
      {(chartWidth, chartHeight) => (
        <PaintedChart
          x={timeAxis(timeRange)}
          y={{ range: [0, rows.length], ticks, grid: false }}
          timeZone={timeZone}
          width={chartWidth}
          height={chartHeight}
          paint={paint}
        />
      )}
    </VizLayout>
  );
}

function rowsOf(frame, series, timeRange, merge) {
  const time = frame.fields.find((field) => field.type === "time");
  return frame.fields
    .filter((field) => field !== time && !field.config.custom?.hideFrom?.viz)
    .map((field) => ({
      name: getFieldDisplayName(field, frame, series),
      opacity: (field.config.custom?.fillOpacity ?? 70) / 100,
      boxes: boxesOf(time, field, timeRange.to.valueOf(), merge),
    }));
}

/** [from, to, DisplayValue] of each stretch; a null or NaN ends one. */
function boxesOf(time, field, until, merge) {
  const boxes = [];
  field.values.forEach((value, index) => {
    const [at, next] = [time.values[index], time.values[index + 1] ?? until];
    const missing = value === null || value === undefined || Number.isNaN(value);
    const last = boxes.at(-1);
    if (last && !missing && merge && last.value === value && last.to === at) {
      last.to = next;
    } else if (!missing) {
      boxes.push({ from: at, to: next, value, display: field.display(value) });
    }
  });
  return boxes;
}

function drawRow(u, row, top, options, theme) {
  const y = u.valToPos(top - (1 - options.rowHeight) / 2, "y", true);
  const bottom = u.valToPos(top - 1 + (1 - options.rowHeight) / 2, "y", true);
  const { ctx } = u;
  ctx.font = `${12 * window.devicePixelRatio}px ${theme.typography.fontFamily}`;
  ctx.textBaseline = "middle";
  for (const { from, to, display } of row.boxes) {
    const [left, right] = [from, to].map((at) => u.valToPos(at, "x", true));
    ctx.globalAlpha = row.opacity;
    ctx.fillStyle = display.color;
    ctx.fillRect(left, y, Math.max(1, right - left), bottom - y);
    ctx.globalAlpha = 1;
    const text = `${display.prefix ?? ""}${display.text}${display.suffix ?? ""}`;
    const fits = ctx.measureText(text).width + 2 * TEXT_PADDING < right - left;
    if (options.showValue !== "never" && (fits || options.showValue === "always")) {
      ctx.fillStyle = theme.colors.text.primary;
      ctx.fillText(text, left + TEXT_PADDING, (y + bottom) / 2);
    }
  }
}

function legendOf(rows, { legend }) {
  if (!legend.showLegend) {
    return null;
  }
  const shown = new Map(rows.flatMap((row) => row.boxes.map(({ display }) => [display.text, display.color])));
  const items = [...shown].map(([label, color]) => ({ label, color, yAxis: 1 }));
  return (
    <VizLayout.Legend placement={legend.placement}>
      <VizLegend placement={legend.placement} items={items} displayMode={legend.displayMode} readonly />
    </VizLayout.Legend>
  );
}
