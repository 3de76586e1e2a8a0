// The field options of Grafana ("standard options" and those of its panels), as far as dashboards set them.
//
// An override in a dashboard names an option by its id; an option that is not registered is silently
// ignored by the library, therefore an unknown id is an error of this harness: `unknownOverrides`.
import {
  booleanOverrideProcessor,
  dataLinksOverrideProcessor,
  displayNameOverrideProcessor,
  identityOverrideProcessor,
  numberOverrideProcessor,
  stringOverrideProcessor,
  thresholdsOverrideProcessor,
  valueMappingsOverrideProcessor,
} from "@grafana/data";

const nothing = () => null;

/** The editors that options name; nobody edits here. */
export const editors = [
  "boolean",
  "color",
  "fieldColor",
  "links",
  "mappings",
  "multi-select",
  "number",
  "radio",
  "select",
  "slider",
  "stats-picker",
  "string",
  "text",
  "thresholds",
  "timezone",
  "unit",
].map((id) => ({ id, name: id, editor: nothing }));

const DEFAULT_THRESHOLDS = {
  mode: "absolute",
  steps: [
    { color: "green", value: -Infinity },
    { color: "red", value: 80 },
  ],
};

const STANDARD = [
  ["displayName", displayNameOverrideProcessor],
  ["unit", stringOverrideProcessor],
  ["min", numberOverrideProcessor],
  ["max", numberOverrideProcessor],
  ["fieldMinMax", booleanOverrideProcessor],
  ["decimals", numberOverrideProcessor],
  ["noValue", stringOverrideProcessor],
  ["color", identityOverrideProcessor],
  ["thresholds", thresholdsOverrideProcessor, DEFAULT_THRESHOLDS],
  ["mappings", valueMappingsOverrideProcessor, []],
  ["links", dataLinksOverrideProcessor],
  ["filterable", booleanOverrideProcessor],
  ["description", stringOverrideProcessor],
];

function option([id, process, defaultValue]) {
  return {
    id,
    path: id,
    name: id,
    defaultValue,
    process,
    editor: nothing,
    override: nothing,
    shouldApply: () => true,
    settings: {},
    category: ["Standard options"],
  };
}

/** The options that every panel has. */
export function standardOptions() {
  return STANDARD.map(option);
}

/** Declares a panel's own options on the builder that `PanelPlugin.useFieldConfig` hands out. */
export function declareCustom(defaults) {
  return (builder) => {
    for (const [path, defaultValue] of Object.entries(defaults)) {
      builder.addCustomEditor({
        id: path,
        path,
        name: path,
        defaultValue,
        editor: nothing,
        override: nothing,
        process: identityOverrideProcessor,
        shouldApply: () => true,
        settings: {},
      });
    }
  };
}

/** The ids in the overrides of a panel that its plug-in does not register. */
export function unknownOverrides(plugin, fieldConfig) {
  const ids = (fieldConfig?.overrides ?? []).flatMap((rule) =>
    rule.properties.map((property) => property.id),
  );
  return ids.filter((id) => plugin.fieldConfigRegistry.getIfExists(id) === undefined);
}
