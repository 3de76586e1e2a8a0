// The table panel: Grafana's table, first frame or the one that the options name.
import { useTheme2 } from "@grafana/ui";
import { TableNG } from "@grafana/ui/unstable";
import { isEmpty, NoData } from "./NoData.jsx";

export function TablePanel({ data, options, fieldConfig, width, height, timeRange, replaceVariables }) {
  const theme = useTheme2();
  if (isEmpty(data)) {
    return <NoData fieldConfig={fieldConfig} />;
  }
  const frame = data.series[options.frameIndex] ?? data.series[0];
  return (
    <TableNG
      theme={theme}
      data={frame}
      width={width}
      height={height}
      noHeader={!options.showHeader}
      showTypeIcons={options.showTypeIcons}
      resizable
      sortBy={options.sortBy}
      cellHeight={options.cellHeight}
      enablePagination={options.enablePagination ?? options.footer?.enablePagination}
      frozenColumns={options.frozenColumns?.left}
      timeRange={timeRange}
      fieldConfig={fieldConfig}
      structureRev={data.structureRev}
      replaceVariables={replaceVariables}
      getActions={() => []}
      enableVirtualization={false}
    />
  );
}
