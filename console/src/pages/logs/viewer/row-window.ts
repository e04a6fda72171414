/** Which rows of a long list are drawn, from the heights of all rows. Pure. */

/** Where each row begins; the last value is where all end. */
export function rowOffsets(count: number, heightAt: (index: number) => number): Float64Array {
  const offsets = new Float64Array(count + 1);
  for (let i = 0; i < count; i++) offsets[i + 1] = (offsets[i] as number) + heightAt(i);
  return offsets;
}

/** The row at a height, from 0 to the last row. */
export function rowAt(offsets: Float64Array, y: number): number {
  let [low, high] = [0, Math.max(0, offsets.length - 2)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] as number) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The rows between two heights, and some around them; `end` is not drawn. */
export function rowWindow(
  offsets: Float64Array,
  { top, height, spare }: { top: number; height: number; spare: number },
): { start: number; end: number } {
  const count = offsets.length - 1;
  if (count === 0) return { start: 0, end: 0 };
  return {
    start: Math.max(0, rowAt(offsets, top) - spare),
    end: Math.min(count, rowAt(offsets, top + height) + 1 + spare),
  };
}

/** The first row with this place or a later one; places grow. */
export function rowWithPlace(rows: ReadonlyArray<{ readonly place: number }>, place: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.place ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A row and how far above it the view begins. While it is kept, what a person reads does not move. */
export interface ViewAnchor {
  readonly place: number;
  readonly offset: number;
}

export function anchorAt(
  rows: ReadonlyArray<{ readonly place: number }>,
  offsets: Float64Array,
  top: number,
): ViewAnchor | null {
  const index = rowAt(offsets, top);
  const row = rows[index];
  return row === undefined ? null : { place: row.place, offset: top - (offsets[index] as number) };
}

/** The top of the view at an anchor. If its row is gone, the next one takes its place. */
export function topOf(
  rows: ReadonlyArray<{ readonly place: number }>,
  offsets: Float64Array,
  anchor: ViewAnchor | null,
): number {
  if (anchor === null || rows.length === 0) return 0;
  const index = rowWithPlace(rows, anchor.place);
  const isSame = rows[index]?.place === anchor.place;
  return (offsets[Math.min(index, rows.length - 1)] as number) + (isSame ? anchor.offset : 0);
}
