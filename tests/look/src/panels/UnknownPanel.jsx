// Stands in for a panel type that is not drawn here.

export function UnknownPanel({ data }) {
  const points = data.series.reduce((sum, frame) => sum + frame.length, 0);
  return <div>{`not drawn here: ${data.series.length} frames, ${points} points`}</div>;
}
