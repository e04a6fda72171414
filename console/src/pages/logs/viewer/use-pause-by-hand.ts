/** What people do to stop the view: the wheel, a finger, keys, the mouse on the scroll bar, and selecting text. */
import { type RefObject, useEffect, useLayoutEffect } from 'react';
import type { LogStream } from './log-stream.ts';

const UP_KEYS = new Set(['PageUp', 'Home', 'ArrowUp']);

export function usePauseByHand(
  scroller: RefObject<HTMLDivElement | null>,
  stream: LogStream,
  pause: () => void,
): void {
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const stop = new AbortController();
    const passive = { signal: stop.signal, passive: true };
    element.addEventListener('wheel', ({ deltaY }) => deltaY < 0 && pause(), passive);
    element.addEventListener('touchmove', pause, passive);
    element.addEventListener('keydown', ({ key }) => UP_KEYS.has(key) && pause(), passive);
    element.addEventListener(
      'pointerdown',
      ({ offsetX, target, button, pointerType }) => {
        if (target === element && offsetX >= element.clientWidth) pause();
        else if (button === 0 && pointerType === 'mouse') stream.freeze(true);
      },
      passive,
    );
    for (const name of ['pointerup', 'pointercancel'] as const)
      addEventListener(name, () => stream.freeze(false), passive);
    document.addEventListener('selectionchange', () => hasSelection(element) && pause(), passive);
    return () => stop.abort();
  }, [scroller, stream, pause]);
  const { follow } = stream;
  useLayoutEffect(() => {
    // The selection would move with the lines, and pause the view again.
    if (follow && hasSelection(scroller.current)) getSelection()?.removeAllRanges();
  }, [scroller, follow]);
}

function hasSelection(element: Element | null): boolean {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && element?.contains(selection.anchorNode) === true;
}
