// The time series panel: Grafana's TimeSeries, which reads all field options itself, and annotations on top.
import { TimeSeries } from "@grafana/ui";
import { Annotations } from "./Annotations.jsx";
import { isEmpty, NoData } from "./NoData.jsx";

export function TimeSeriesPanel({
  data,
  options,
  fieldConfig,
  width,
  height,
  timeRange,
  timeZone,
  replaceVariables,
}) {
  if (isEmpty(data)) {
    return <NoData fieldConfig={fieldConfig} />;
  }
  return (
    <TimeSeries
      frames={data.series}
      structureRev={data.structureRev}
      timeRange={timeRange}
      timeZone={timeZone}
      width={width}
      height={height}
      legend={options.legend}
      options={options}
      replaceVariables={replaceVariables}
    >
      {(config) => <Annotations config={config} frames={data.annotations ?? []} />}
    </TimeSeries>
  );
}
