// Panels that repeat for every value of a variable, side by side, and the panels below them moved down.
import { LocalValueVariable, SceneVariableSet, sceneGraph } from "@grafana/scenes";

const COLUMNS = 24;
const PER_ROW = 4;

/** The panels of the JSON, each repeated one as often as its variable has values, with that value for itself. */
export function repeated(panels, scene) {
  let shift = 0;
  return panels.flatMap((panel) => {
    const moved = { ...panel, gridPos: { ...panel.gridPos, y: panel.gridPos.y + shift } };
    if (!panel.repeat) {
      return [moved];
    }
    const clones = clonesOf(moved, valuesOf(panel.repeat, scene));
    shift +=
      Math.max(...clones.map(({ gridPos }) => gridPos.y + gridPos.h)) - moved.gridPos.y - moved.gridPos.h;
    return clones;
  });
}

function clonesOf(panel, values) {
  const { x, y, w, h } = panel.gridPos;
  const perRow = Math.min(values.length, panel.maxPerRow || PER_ROW);
  return values.map(({ value, label }, index) => ({
    ...panel,
    cloned: index > 0 ? `-clone-${index}` : "",
    variables: () =>
      new SceneVariableSet({
        variables: [new LocalValueVariable({ name: panel.repeat, value, text: label })],
      }),
    gridPos:
      panel.repeatDirection === "v"
        ? { x, y: y + index * h, w, h }
        : {
            x: (index % perRow) * (COLUMNS / perRow),
            y: y + Math.floor(index / perRow) * h,
            w: COLUMNS / perRow,
            h,
          },
  }));
}

/** What is chosen; with "All" every option. */
function valuesOf(name, scene) {
  const { value, options } = sceneGraph.lookupVariable(name, scene).state;
  const chosen = [value].flat();
  return options.filter((option) => chosen.includes("$__all") || chosen.includes(option.value));
}
