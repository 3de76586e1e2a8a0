// The stat panel: Grafana's BigValue, repeated for every value.
import { getDisplayValueAlignmentFactors } from "@grafana/data";
import { BigValue, useTheme2, VizRepeater } from "@grafana/ui";
import { displayValues } from "./displayValues.js";
import { isEmpty, NoData } from "./NoData.jsx";

export function StatPanel(props) {
  const { data, options, fieldConfig, width, height, renderCounter } = props;
  const theme = useTheme2();
  if (isEmpty(data)) {
    return <NoData fieldConfig={fieldConfig} />;
  }
  const more = { sparkline: options.graphMode !== "none", percentChange: options.showPercentChange };
  return (
    <VizRepeater
      getValues={() => displayValues(props, theme, more)}
      getAlignmentFactors={getDisplayValueAlignmentFactors}
      source={data}
      width={width}
      height={height}
      orientation={options.orientation}
      renderCounter={renderCounter}
      autoGrid
      itemSpacing={3}
      renderValue={({ value, alignmentFactors, width: valueWidth, height: valueHeight, count }) => (
        <BigValue
          value={value.display}
          count={count}
          sparkline={value.sparkline}
          colorMode={options.colorMode}
          graphMode={options.graphMode}
          justifyMode={options.justifyMode}
          textMode={textModeOf(options, data)}
          percentChangeColorMode={options.percentChangeColorMode}
          wideLayout={options.wideLayout}
          alignmentFactors={alignmentFactors}
          text={options.text}
          width={valueWidth}
          height={valueHeight}
          theme={theme}
        />
      )}
    />
  );
}

/** With one nameless value Grafana shows the value alone; with several, names too. */
function textModeOf(options, data) {
  const fields = data.series.flatMap((frame) => frame.fields.filter((field) => field.type !== "time"));
  return options.textMode === "auto" && fields.length > 1 ? "value_and_name" : options.textMode;
}
