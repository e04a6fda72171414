/** The keys of the page that is open, for the help on keyboard shortcuts. */
import { useEffect, useRef } from 'react';

export type PageShortcut = readonly [keys: string, text: string];

let current: readonly PageShortcut[] = [];

export function pageShortcuts(): readonly PageShortcut[] {
  return current;
}

export function usePageShortcuts(shortcuts: readonly PageShortcut[]): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    current = latest.current;
    return () => {
      current = [];
    };
  });
}
