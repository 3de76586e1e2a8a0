// Annotations as Grafana shows them: a dashed line per event, with a triangle under the axis.
import { useTheme2 } from "@grafana/ui";
import { useEffect, useLayoutEffect, useRef } from "react";

/** Draws on the chart whose `config` (UPlotConfigBuilder) this is given, before the chart is made. */
export function Annotations({ config, frames }) {
  const theme = useTheme2();
  const events = useRef([]);
  const chart = useRef();
  events.current = frames.flatMap(eventsOf);
  useLayoutEffect(() => {
    config.addHook("init", (u) => {
      chart.current = u;
    });
    config.addHook("draw", (u) => events.current.forEach((event) => drawEvent(u, event, theme)));
  }, [config, theme]);
  useEffect(() => {
    chart.current?.redraw();
  }, [frames]);
  return null;
}

function eventsOf(frame) {
  const column = (name) => frame.fields.find((field) => field.name === name)?.values ?? [];
  const ends = column("timeEnd");
  const colors = column("color");
  return column("time").map((at, index) => ({ at, end: ends[index] ?? at, color: colors[index] ?? "red" }));
}

function drawEvent(u, { at, end, color }, theme) {
  const { left, top, width, height } = u.bbox;
  const [from, to] = [at, end].map((time) => u.valToPos(time, "x", true));
  if (to < left || from > left + width) {
    return;
  }
  const ratio = window.devicePixelRatio;
  const { ctx } = u;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = theme.visualization.getColorByName(color);
  ctx.lineWidth = ratio;
  ctx.setLineDash([5 * ratio, 5 * ratio]);
  for (const x of from === to ? [from] : [from, to]) {
    ctx.beginPath();
    ctx.moveTo(x, top);
    ctx.lineTo(x, top + height);
    ctx.stroke();
  }
  ctx.setLineDash([]);
  if (from === to) {
    ctx.beginPath();
    ctx.moveTo(from - 4 * ratio, top + height + 6 * ratio);
    ctx.lineTo(from + 4 * ratio, top + height + 6 * ratio);
    ctx.lineTo(from, top + height);
    ctx.fill();
  } else {
    ctx.fillRect(from, top + height, to - from, 5 * ratio);
    ctx.globalAlpha = 0.1;
    ctx.fillRect(from, top, to - from, height);
  }
  ctx.restore();
}
