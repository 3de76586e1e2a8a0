// The heatmap panel, for buckets of Prometheus: one row per bucket, one cell per step. Drawn by us.
import { formattedValueToString, getValueFormat } from "@grafana/data";
import { useTheme2, VizLayout } from "@grafana/ui";
import { colorScale } from "./colorScale.js";
import { isEmpty, NoData } from "./NoData.jsx";
import { PaintedChart, timeAxis } from "./PaintedChart.jsx";

export function HeatmapPanel({ data, options, fieldConfig, width, height, timeRange, timeZone }) {
  const theme = useTheme2();
  if (isEmpty(data)) {
    return <NoData fieldConfig={fieldConfig} />;
  }
  const [time, ...buckets] = data.series[0].fields;
  const counts = buckets
    .flatMap((bucket) => bucket.values)
    .filter((count) => count > options.filterValues.le);
  const [least, most] = [options.color.min ?? 0, options.color.max ?? Math.max(...counts)];
  const color = colorScale(options.color, theme);
  const share = (count) => (count - least) / (most - least || 1);
  const stepMs = time.config.interval ?? time.values[1] - time.values[0];
  const format = getValueFormat(options.yAxis.unit ?? buckets[0].config.unit ?? "short");
  const ticks = buckets.map((bucket, index) => [
    index + 1,
    boundText(bucket.name, format, options.yAxis.decimals),
  ]);

  const paint = (u) =>
    buckets.forEach((bucket, row) => {
      const [bottom, top] = [row, row + 1].map((at) => u.valToPos(at, "y", true));
      bucket.values.forEach((count, index) => {
        if (count > options.filterValues.le) {
          const [left, right] = [time.values[index], time.values[index] + stepMs].map((at) =>
            u.valToPos(at, "x", true),
          );
          const gap = options.cellGap;
          u.ctx.fillStyle = color(share(count));
          u.ctx.fillRect(left, top + gap / 2, Math.max(1, right - left - gap), bottom - top - gap);
        }
      });
    });
  const legend = options.legend.show ? colorLegend({ color, least, most, theme }) : null;
  return (
    <VizLayout width={width} height={height} legend={legend}>
      {(chartWidth, chartHeight) => (
        <PaintedChart
          x={timeAxis(timeRange)}
          y={{ range: [0, buckets.length], ticks: thinned(ticks, chartHeight) }}
          timeZone={timeZone}
          width={chartWidth}
          height={chartHeight}
          paint={paint}
        />
      )}
    </VizLayout>
  );
}

function boundText(name, format, decimals) {
  const bound = Number(name === "+Inf" ? Infinity : name);
  return Number.isFinite(bound) ? formattedValueToString(format(bound, decimals)) : name;
}

/** As many ticks as are legible, evenly spread. */
function thinned(ticks, height) {
  const every = Math.ceil(ticks.length / Math.max(1, Math.floor((height - 30) / 16)));
  return ticks.filter((_, index) => index % every === every - 1);
}

function colorLegend({ color, least, most, theme }) {
  const stops = Array.from({ length: 11 }, (_, index) => color(index / 10));
  const number = (value) => formattedValueToString(getValueFormat("short")(value, undefined));
  return (
    <VizLayout.Legend placement="bottom">
      <div
        style={{
          display: "flex",
          gap: 8,
          alignItems: "center",
          fontSize: 12,
          color: theme.colors.text.secondary,
        }}
      >
        {number(least)}
        <div style={{ width: 160, height: 8, background: `linear-gradient(to right, ${stops.join(",")})` }} />
        {number(most)}
      </div>
    </VizLayout.Legend>
  );
}
