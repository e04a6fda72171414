/** The heights of rows that were drawn. Rows that were not yet are taken as one line high. */
export const ROW_PX = 20;

/** Heights of rows that have left the buffer are forgotten from time to time. */
const HEIGHTS_MAX = 8_000;

export class RowHeights {
  readonly #heights = new Map<number, number>();

  at(place: number): number {
    return this.#heights.get(place) ?? ROW_PX;
  }

  /** Whether it was another height before. */
  set(place: number, height: number): boolean {
    if (this.at(place) === height) return false;
    if (this.#heights.size >= HEIGHTS_MAX) this.#heights.clear();
    this.#heights.set(place, height);
    return true;
  }

  /** The layout changed: all rows are measured again. */
  clear(): void {
    this.#heights.clear();
  }
}
