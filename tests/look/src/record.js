// What the driver reads: every query with its answer, and whether the page has finished.
//
// A query belongs to a panel, an annotation or a variable; `window.look` holds plain data only.
import { LoadingState } from "@grafana/data";
import { sceneGraph, VizPanel } from "@grafana/scenes";

const queries = new Map();
const defects = [];
let asked = 0;

/** Notes the answer to a query of a panel, an annotation or a variable; asked again, the last one counts. */
export function record(entry) {
  asked += 1;
  queries.set(`${entry.kind} ${entry.key} ${entry.refId}`, entry);
}

/** Notes something in a dashboard that this page cannot draw as Grafana would. */
export function defect(text) {
  defects.push(text);
}

/** What a scene object's query is for; `key` tells apart what has the same title. */
export function ownerOf(sceneObject) {
  for (let each = sceneObject; each; each = each.parent) {
    if (each instanceof VizPanel) {
      return {
        kind: "panel",
        key: each.state.key,
        title: sceneGraph.interpolate(each, each.state.title, undefined, "text"),
      };
    }
  }
  const { name, query } = sceneObject.state;
  const kind = query?.name === undefined ? "variable" : "annotation";
  const title = kind === "annotation" ? query.name : name;
  return { kind, key: title, title };
}

/** Lets the driver ask about the scene. */
export function watch(scene) {
  window.look = {
    queries: () => [...queries.values()],
    asked: () => asked,
    defects,
    settled: () => unfinished(scene).length === 0,
    unfinished: () => unfinished(scene),
    panels: () => panelsOf(scene).map((panel) => panel.state.key),
    failed: () => panelsOf(scene).flatMap(failuresOf),
  };
}

function panelsOf(scene) {
  return sceneGraph.findAllObjects(scene, (each) => each instanceof VizPanel);
}

/** A panel can fail after its queries have answered: in a transformation. */
function failuresOf(panel) {
  const { data } = sceneGraph.getData(panel).state;
  const failed = panel.state.$data !== undefined && data?.state === LoadingState.Error;
  return failed ? [{ key: panel.state.key, text: `${panel.state.title}: ${data.errors?.[0]?.message}` }] : [];
}

function unfinished(scene) {
  return panelsOf(scene)
    .filter((panel) => panel.state.$data !== undefined)
    .filter((panel) => {
      const state = sceneGraph.getData(panel).state.data?.state;
      return state !== LoadingState.Done && state !== LoadingState.Error;
    })
    .map((panel) => panel.state.title);
}
