/** J and K move through the rows of a list, also while the drawer of a row is open. */
import { useEffect, useRef } from 'react';

interface RowKeys {
  readonly ids: readonly string[];
  readonly current: string | undefined;
  go(id: string): void;
  /** The end of what is loaded was reached. */
  onEnd(): void;
}

export function useRowKeys(keys: RowKeys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    let afterG = false;
    const press = (event: KeyboardEvent): void => {
      const isPlain = !event.metaKey && !event.ctrlKey && !event.altKey && !isElsewhere(event);
      const step = { j: 1, k: -1 }[event.key.toLowerCase()];
      // After a g the key names a page.
      if (isPlain && !afterG && step !== undefined) move(latest.current, step);
      afterG = event.key === 'g';
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

function move({ ids, current, go, onEnd }: RowKeys, step: number): void {
  const at = current === undefined ? -1 : ids.indexOf(current);
  const next = current === undefined ? ids[0] : ids[at + step];
  if (next === undefined) {
    if (step > 0) onEnd();
    return;
  }
  // A request that is not in the list has no neighbours.
  if (current !== undefined && at === -1) return;
  go(next);
  document.querySelector(`[data-row="${CSS.escape(next)}"]`)?.scrollIntoView({ block: 'nearest' });
}

/** The key goes into a field, or belongs to a dialog that is not the drawer. */
function isElsewhere({ target }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest('input, textarea, select, [contenteditable]') !== null) return true;
  const dialog = target.closest('dialog');
  return dialog !== null && dialog.querySelector('[data-drawer]') === null;
}
