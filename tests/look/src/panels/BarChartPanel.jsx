// The bar chart panel: one group of bars per row of a table, one colour per column. Bars are drawn by us.
import { formattedValueToString, getFieldDisplayName, getFieldSeriesColor } from "@grafana/data";
import { useTheme2, VizLayout, VizLegend } from "@grafana/ui";
import { isEmpty, NoData } from "./NoData.jsx";
import { PaintedChart } from "./PaintedChart.jsx";

const HEADROOM = 1.05;
const TEXT_GAP = 4;

export function BarChartPanel({ data, options, fieldConfig, width, height, timeZone }) {
  const theme = useTheme2();
  if (isEmpty(data)) {
    return <NoData fieldConfig={fieldConfig} />;
  }
  const frame = data.series[0];
  const category = frame.fields.find((field) => field.type === "string") ?? frame.fields[0];
  const columns = frame.fields
    .filter((field) => field.type === "number" && !field.config.custom?.hideFrom?.viz)
    .map((field) => ({
      field,
      name: getFieldDisplayName(field, frame, data.series),
      color: getFieldSeriesColor(field, theme).color,
    }));
  const bars = barsOf(columns, frame.length, options);
  const categories = {
    range: [0, frame.length],
    ticks: category.values.map((value, index) => [place(index, frame.length, options), formattedValueToString(category.display(value))]),
    grid: false,
  };
  const values = {
    range: rangeOf(columns, bars),
    format: (value, decimals) => formattedValueToString(columns[0].field.display(value, decimals)),
  };
  const upright = options.orientation === "vertical" || (options.orientation === "auto" && width > height);
  return (
    <VizLayout width={width} height={height} legend={legendOf(columns, options)}>
      {(chartWidth, chartHeight) => (
        <PaintedChart
          x={upright ? categories : values}
          y={upright ? values : categories}
          timeZone={timeZone}
          width={chartWidth}
          height={chartHeight}
          paint={(u) =>
            bars.forEach((bar) => drawBar(u, bar, { upright, rows: frame.length, options, theme }))
          }
        />
      )}
    </VizLayout>
  );
}

/** The first row of a horizontal chart is the topmost. */
function place(index, rows, { orientation }) {
  return orientation === "vertical" ? index + 0.5 : rows - index - 0.5;
}

/** { row, column, from, to } in values, `lane` and `lanes` when bars of a row stand side by side. */
function barsOf(columns, rows, { stacking }) {
  const bars = [];
  for (let row = 0; row < rows; row += 1) {
    const total = columns.reduce((sum, { field }) => sum + (field.values[row] ?? 0), 0);
    let top = 0;
    columns.forEach((column, lane) => {
      const value = column.field.values[row] ?? 0;
      if (stacking === "none") {
        bars.push({ row, column, value, from: 0, to: value, lane, lanes: columns.length });
      } else {
        const length = stacking === "percent" ? value / (total || 1) : value;
        bars.push({ row, column, value, from: top, to: top + length, lane: 0, lanes: 1 });
        top += length;
      }
    });
  }
  return bars;
}

function rangeOf(columns, bars) {
  const { min, max } = columns[0].field.config;
  const ends = bars.map(({ to }) => to).filter(Number.isFinite);
  return [min ?? Math.min(0, ...ends), max ?? (Math.max(0, ...ends) * HEADROOM || 1)];
}

function drawBar(u, { row, column, value, from, to, lane, lanes }, { upright, rows, options, theme }) {
  const width = (options.groupWidth / lanes) * (lanes > 1 ? options.barWidth : 1);
  const offset = ((lane + 0.5) / lanes - 0.5) * options.groupWidth;
  const middle = place(row, rows, options) + (upright ? offset : -offset);
  const [across, along] = upright ? ["x", "y"] : ["y", "x"];
  const [a, b] = [middle - width / 2, middle + width / 2].map((at) => u.valToPos(at, across, true));
  const [c, d] = [from, to].map((at) => u.valToPos(at, along, true));
  const { ctx } = u;
  ctx.globalAlpha = (column.field.config.custom?.fillOpacity ?? 80) / 100;
  ctx.fillStyle = column.color;
  const [left, right, top, bottom] = upright ? [a, b, d, c] : [c, d, b, a];
  ctx.fillRect(left, top, right - left, bottom - top);
  ctx.globalAlpha = 1;
  if (options.showValue !== "never" && lanes * rows * 14 < u.bbox.height) {
    ctx.font = `12px ${theme.typography.fontFamily}`;
    ctx.fillStyle = theme.colors.text.primary;
    ctx.textBaseline = upright ? "bottom" : "middle";
    ctx.textAlign = upright ? "center" : "left";
    const text = formattedValueToString(column.field.display(value));
    ctx.fillText(
      text,
      upright ? (left + right) / 2 : right + TEXT_GAP,
      upright ? top - TEXT_GAP : (top + bottom) / 2,
    );
  }
}

function legendOf(columns, { legend }) {
  if (!legend.showLegend) {
    return null;
  }
  const shown = columns.filter(({ field }) => !field.config.custom?.hideFrom?.legend);
  const items = shown.map(({ name, color }) => ({ label: name, color, yAxis: 1 }));
  return (
    <VizLayout.Legend placement={legend.placement}>
      <VizLegend placement={legend.placement} items={items} displayMode={legend.displayMode} readonly />
    </VizLayout.Legend>
  );
}
