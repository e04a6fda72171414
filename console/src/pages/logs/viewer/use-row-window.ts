/**
 * A list of which only the visible rows are drawn. The view is either at the end of the list (`pinned`), or at an anchor:
 * a row that keeps its pixel whatever is added, evicted or measured around it.
 */
import { type RefObject, useLayoutEffect, useReducer, useRef, useState } from 'react';
import { anchorAt, rowOffsets, rowWindow, topOf, type ViewAnchor } from './row-window.ts';

/** Rows drawn above and below the visible ones, so that fast scrolling shows no hole. */
const SPARE_ROWS = 12;
/** The same at the end of the list, where every new line changes all rows: each one more costs time in every frame. */
const SPARE_ROWS_PINNED = 2;
/** The browser may still be scrolling smoothly when the view is pinned again. */
const SMOOTH_SCROLL_MS = 500;

interface Row {
  readonly place: number;
}

export interface RowWindowOptions<R extends Row> {
  readonly rows: readonly R[];
  /** The view stays at the end. */
  readonly pinned: boolean;
  /** Heights may differ, so rows are measured. */
  readonly measures: boolean;
  /** Pixels before the first row. */
  readonly headPx: number;
  /** Changes when rows that are drawn already may have other heights. */
  readonly layout: string;
  /** The person scrolled. */
  onScroll(anchor: ViewAnchor | null): void;
}

export interface RowWindow<R extends Row> {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly block: RefObject<HTMLDivElement | null>;
  readonly drawn: readonly R[];
  readonly offset: number;
  readonly total: number;
  /** The anchor of what is visible now. */
  anchor(): ViewAnchor | null;
  /** Shows a row, a third of the view below its top. */
  show(place: number): void;
}

export function useRowWindow<R extends Row>(options: RowWindowOptions<R>): RowWindow<R> {
  const { rows, pinned, measures, headPx, layout, onScroll } = options;
  const scroller = useRef<HTMLDivElement>(null);
  const block = useRef<HTMLDivElement>(null);
  const heights = useRef(new RowHeights());
  const anchor = useRef<ViewAnchor | null>(null);
  /** What the view was last scrolled to by this code; anything else is the person. */
  const ownTop = useRef(0);
  const [viewHeight, setViewHeight] = useState(0);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const pinnedMs = useRef(Number.NEGATIVE_INFINITY);
  const wasPinned = useRef(pinned);
  if (pinned && !wasPinned.current) pinnedMs.current = performance.now();
  wasPinned.current = pinned;
  const lastLayout = useRef(layout);
  if (lastLayout.current !== layout) {
    lastLayout.current = layout;
    heights.current.clear();
  }

  const offsets = rowOffsets(rows.length, (i) => heights.current.at((rows[i] as R).place));
  const total = headPx + (offsets.at(-1) as number);
  const topMax = Math.max(0, total - viewHeight);
  const wanted = pinned ? topMax : headPx + topOf(rows, offsets, anchor.current);
  const top = Math.min(topMax, Math.max(0, wanted));
  const spare = pinned ? SPARE_ROWS_PINNED : SPARE_ROWS;
  const { start, end } = rowWindow(offsets, { top: top - headPx, height: viewHeight, spare });
  const drawn = rows.slice(start, end);
  const visible = (y: number): ViewAnchor | null => anchorAt(rows, offsets, y - headPx);

  useLayoutEffect(() => {
    if (measures && measureRows(block.current, drawn, heights.current)) redraw();
  });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    if (Math.abs(element.scrollTop - top) > 0.5) element.scrollTop = top;
    ownTop.current = element.scrollTop;
  });

  const latest = useRef({ pinned, visible, onScroll });
  latest.current = { pinned, visible, onScroll };
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const scrolled = (): void => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      const now = latest.current;
      if (Math.abs(scrollTop - ownTop.current) < 1) return;
      // The browser moves the view itself when the list gets shorter.
      if (now.pinned && scrollTop + clientHeight >= scrollHeight - 2) return;
      if (now.pinned && performance.now() - pinnedMs.current < SMOOTH_SCROLL_MS) {
        redraw();
        return;
      }
      ownTop.current = scrollTop;
      anchor.current = now.visible(scrollTop);
      now.onScroll(anchor.current);
      redraw();
    };
    element.addEventListener('scroll', scrolled, { passive: true });
    const observer = new ResizeObserver(() => setViewHeight(element.clientHeight));
    observer.observe(element);
    setViewHeight(element.clientHeight);
    return () => {
      element.removeEventListener('scroll', scrolled);
      observer.disconnect();
    };
  }, []);

  return {
    scroller,
    block,
    drawn,
    offset: headPx + (offsets[start] as number),
    total,
    anchor() {
      anchor.current = latest.current.visible(scroller.current?.scrollTop ?? 0);
      return anchor.current;
    },
    show(place) {
      anchor.current = { place, offset: -Math.floor(viewHeight / 3 / ROW_PX) * ROW_PX };
      onScroll(anchor.current);
      redraw();
    },
  };
}

/** Whether a row has another height than before. */
function measureRows(block: HTMLDivElement | null, drawn: readonly Row[], heights: RowHeights): boolean {
  if (block === null) return false;
  let changed = false;
  for (const [i, row] of drawn.entries()) {
    const element = block.children[i];
    if (element !== undefined)
      changed = heights.set(row.place, element.getBoundingClientRect().height) || changed;
  }
  return changed;
}

const ROW_PX = 20;

/** Heights of rows that have left the buffer are forgotten from time to time. */
const HEIGHTS_MAX = 8_000;

/** The heights of rows that were drawn. Rows that were not yet are taken as one line high. */
class RowHeights {
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
