// An empty chart on Grafana's axes; what stands in it is painted by the caller on the canvas.
import { UPlotChart, UPlotConfigBuilder, useTheme2 } from "@grafana/ui";
import { useMemo, useRef } from "react";

const ROOM_FOR_THE_LAST_TICK = 24;
const PLACEMENT = { x: "bottom", y: "left" };

/**
 * `x` and `y` are { range: [from, to], time, ticks, format, grid }: a time axis, or `ticks` as
 * [position, text], or numbers with `format(value, decimals)`. `paint(u)` draws in canvas pixels.
 */
export function PaintedChart({ x, y, timeZone, width, height, paint }) {
  const theme = useTheme2();
  const painter = useRef(paint);
  painter.current = paint;
  const config = useMemo(() => {
    const builder = new UPlotConfigBuilder(timeZone);
    builder.setPadding([null, x.time ? null : ROOM_FOR_THE_LAST_TICK, null, null]);
    addAxis(builder, "x", x, timeZone, theme);
    addAxis(builder, "y", y, timeZone, theme);
    builder.addSeries({
      scaleKey: "y",
      theme,
      show: true,
      pathBuilder: () => null,
      pointsBuilder: () => null,
      lineWidth: 0,
    });
    builder.addHook("draw", (u) => {
      u.ctx.save();
      u.ctx.beginPath();
      u.ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
      u.ctx.clip();
      painter.current(u);
      u.ctx.restore();
    });
    return builder;
    // the caller makes `x` and `y` anew each time; their texts and ranges tell whether they differ
  }, [JSON.stringify([x, y]), timeZone, theme]);
  return <UPlotChart config={config} data={[x.range, [null, null]]} width={width} height={height} />;
}

function addAxis(builder, key, { range, time, ticks, format, grid = true }, timeZone, theme) {
  builder.addScale({
    scaleKey: key,
    isTime: time,
    orientation: key === "x" ? 0 : 1,
    direction: 1,
    range: () => range,
  });
  builder.addAxis({
    scaleKey: key,
    isTime: time,
    placement: PLACEMENT[key],
    timeZone,
    theme,
    grid: { show: grid },
    formatValue: format,
    ...(ticks && {
      splits: ticks.map(([at]) => at),
      values: ticks.map(([, text]) => text),
      ticks: { show: false },
    }),
  });
}

/** The range of a time axis. */
export function timeAxis(timeRange) {
  return { range: [timeRange.from.valueOf(), timeRange.to.valueOf()], time: true };
}
