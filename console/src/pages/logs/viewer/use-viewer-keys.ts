/** The keys of the viewer. They do nothing while somebody types. */
import { useEffect, useRef } from 'react';
import { isTyping } from '../../../parts/is-typing.ts';

/** By the key that is pressed. */
export type ViewerKeys = Readonly<Record<string, () => void>>;

export function useViewerKeys(keys: ViewerKeys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event)) return;
      // A button that has the focus is pressed by the space bar.
      if (event.key === ' ' && event.target instanceof Element && event.target.closest('button, a') !== null)
        return;
      const run = latest.current[event.key];
      if (run === undefined) return;
      event.preventDefault();
      run();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}
