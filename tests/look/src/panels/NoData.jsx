// What a panel without a value shows; the driver looks for it.

export function NoData({ fieldConfig }) {
  return (
    <div
      data-testid="no-data"
      style={{ display: "grid", placeItems: "center", height: "100%", fontSize: 16 }}
    >
      {fieldConfig?.defaults?.noValue ?? "No data"}
    </div>
  );
}

/** Whether there is a value to draw in any frame. */
export function isEmpty(data) {
  return !data.series.some((frame) => frame.length > 0);
}
