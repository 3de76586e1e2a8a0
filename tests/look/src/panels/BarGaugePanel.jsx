// The bar gauge panel: Grafana's BarGauge, repeated for every value.
import { getDisplayValueAlignmentFactors, VizOrientation } from "@grafana/data";
import { BarGauge, useTheme2, VizRepeater } from "@grafana/ui";
import { displayValues } from "./displayValues.js";
import { isEmpty, NoData } from "./NoData.jsx";

const NAME_PLACEMENT = { [VizOrientation.Horizontal]: "left", [VizOrientation.Vertical]: "top" };

export function BarGaugePanel(props) {
  const { data, options, fieldConfig, width, height, renderCounter } = props;
  const theme = useTheme2();
  if (isEmpty(data)) {
    return <NoData fieldConfig={fieldConfig} />;
  }
  return (
    <VizRepeater
      getValues={() => displayValues(props, theme)}
      getAlignmentFactors={getDisplayValueAlignmentFactors}
      source={data}
      width={width}
      height={height}
      orientation={options.orientation}
      renderCounter={renderCounter}
      minVizWidth={options.minVizWidth}
      minVizHeight={options.minVizHeight}
      maxVizHeight={options.maxVizHeight}
      itemSpacing={options.displayMode === "lcd" ? 2 : 10}
      renderValue={({
        value,
        alignmentFactors,
        orientation,
        width: valueWidth,
        height: valueHeight,
        count,
      }) => (
        <BarGauge
          value={value.display}
          field={value.field}
          text={options.text}
          display={value.view?.getFieldDisplayProcessor(value.colIndex)}
          orientation={orientation}
          displayMode={options.displayMode}
          valueDisplayMode={options.valueMode}
          namePlacement={
            options.namePlacement === "auto" ? NAME_PLACEMENT[orientation] : options.namePlacement
          }
          showUnfilled={options.showUnfilled}
          isOverflow={false}
          alignmentFactors={count > 1 ? alignmentFactors : undefined}
          width={valueWidth}
          height={valueHeight}
          lcdCellWidth={12}
          itemSpacing={8}
          theme={theme}
        />
      )}
    />
  );
}
