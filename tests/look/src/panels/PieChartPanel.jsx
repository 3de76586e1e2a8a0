// The pie chart panel. Slices are drawn by us; values, colours and the legend are Grafana's.
import { formattedValueToString } from "@grafana/data";
import { useTheme2, VizLayout, VizLegend } from "@grafana/ui";
import { displayValues } from "./displayValues.js";
import { isEmpty, NoData } from "./NoData.jsx";

const HOLE = 0.6;

export function PieChartPanel(props) {
  const { data, options, fieldConfig, width, height } = props;
  const theme = useTheme2();
  if (isEmpty(data)) {
    return <NoData fieldConfig={fieldConfig} />;
  }
  const slices = displayValues(props, theme)
    .filter(({ field, display }) => !field.custom?.hideFrom?.viz && display.numeric > 0)
    .sort((a, b) => (options.sort === "asc" ? 1 : -1) * (a.display.numeric - b.display.numeric));
  const total = slices.reduce((sum, { display }) => sum + display.numeric, 0);
  return (
    <VizLayout width={width} height={height} legend={legendOf(slices, total, options)}>
      {(pieWidth, pieHeight) => (
        <Pie
          slices={slices}
          total={total}
          options={options}
          width={pieWidth}
          height={pieHeight}
          theme={theme}
        />
      )}
    </VizLayout>
  );
}

function Pie({ slices, total, options, width, height, theme }) {
  const radius = Math.max(10, Math.min(width, height) / 2 - 8);
  const hole = options.pieType === "donut" ? radius * HOLE : 0;
  let turned = 0;
  return (
    <svg width={width} height={height} viewBox={`${-width / 2} ${-height / 2} ${width} ${height}`}>
      {slices.map(({ display }) => {
        const start = turned;
        turned += display.numeric / total;
        return (
          <g key={display.title}>
            <path
              d={ring(start, turned, radius, hole)}
              fill={display.color}
              stroke={theme.colors.background.primary}
              fillRule="evenodd"
            />
            <SliceLabel
              display={display}
              share={display.numeric / total}
              at={(start + turned) / 2}
              radius={(radius + hole) / 2}
              parts={options.displayLabels}
            />
          </g>
        );
      })}
    </svg>
  );
}

function SliceLabel({ display, share, at, radius, parts }) {
  const texts = {
    name: display.title,
    value: formattedValueToString(display),
    percent: `${Math.round(share * 100)}%`,
  };
  const [x, y] = point(at, radius);
  return share < 0.04 ? null : (
    <text x={x} y={y} textAnchor="middle" dominantBaseline="middle" fontSize={12} fill="white">
      {parts.map((part) => texts[part]).join(" ")}
    </text>
  );
}

function legendOf(slices, total, { legend }) {
  if (!legend.showLegend) {
    return null;
  }
  const items = slices.map(({ display }) => ({
    label: display.title,
    color: display.color,
    yAxis: 1,
    getDisplayValues: () =>
      legend.values.map((value) =>
        value === "percent"
          ? {
              title: "Percent",
              text: `${Math.round((display.numeric / total) * 100)}%`,
              numeric: display.numeric / total,
            }
          : {
              ...display,
              title: "Value",
              text: formattedValueToString(display),
              suffix: undefined,
              prefix: undefined,
            },
      ),
  }));
  return (
    <VizLayout.Legend placement={legend.placement} width={legend.width}>
      <VizLegend placement={legend.placement} items={items} displayMode={legend.displayMode} readonly />
    </VizLayout.Legend>
  );
}

function point(turn, radius) {
  const angle = 2 * Math.PI * turn - Math.PI / 2;
  return [radius * Math.cos(angle), radius * Math.sin(angle)];
}

/** The path of a ring's sector from turn `start` to turn `end`; a full one is two halves. */
function ring(start, end, outer, inner) {
  if (end - start > 0.9999) {
    return `${ring(0, 0.5, outer, inner)} ${ring(0.5, 0.9999, outer, inner)}`;
  }
  const large = end - start > 0.5 ? 1 : 0;
  const corners = [point(start, outer), point(end, outer), point(end, inner), point(start, inner)].map(
    (corner) => corner.join(" "),
  );
  const forth = `M ${corners[0]} A ${outer} ${outer} 0 ${large} 1 ${corners[1]}`;
  return `${forth} L ${corners[2]} A ${inner} ${inner} 0 ${large} 0 ${corners[3]} Z`;
}
