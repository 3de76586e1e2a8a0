// The colours of a heatmap by share of the largest count: a scheme of d3-scale-chromatic, or opacity.
import { colorManipulator } from "@grafana/data";
import * as chromatic from "d3-scale-chromatic";

/** Schemes that grow darker: Grafana turns them round on a dark page, and the others on a light one. */
const DARKENING = new Set([
  "Blues",
  "Greens",
  "Greys",
  "Oranges",
  "Purples",
  "Reds",
  "BuGn",
  "BuPu",
  "GnBu",
  "OrRd",
  "PuBuGn",
  "PuBu",
  "PuRd",
  "RdPu",
  "YlGnBu",
  "YlGn",
  "YlOrBr",
  "YlOrRd",
]);
const DIVERGING = new Set([
  "BrBG",
  "PiYG",
  "PRGn",
  "PuOr",
  "RdBu",
  "RdGy",
  "RdYlBu",
  "RdYlGn",
  "Spectral",
  "Rainbow",
  "Sinebow",
]);

/** A function from a share, 0 to 1, to a CSS colour. */
export function colorScale({ mode, scheme, fill, exponent, reverse }, theme) {
  if (mode === "opacity") {
    const base = theme.visualization.getColorByName(fill);
    return (share) => colorManipulator.alpha(base, Math.pow(clamped(share), exponent ?? 0.5));
  }
  const interpolate = chromatic[`interpolate${scheme}`] ?? chromatic.interpolateOranges;
  const turned = !DIVERGING.has(scheme) && DARKENING.has(scheme) === theme.isDark;
  return (share) => interpolate(turned === Boolean(reverse) ? clamped(share) : 1 - clamped(share));
}

function clamped(share) {
  return Math.min(1, Math.max(0, share));
}
