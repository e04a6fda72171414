/**
 * Listens to signals until the work is over. `AbortSignal.any` would keep its listeners, and all they refer to, in memory
 * for as long as any of the signals lives, which for the signal of a stopping process is always.
 */
export function onAbort(signals: readonly AbortSignal[], listener: () => void): () => void {
  for (const signal of signals) signal.addEventListener('abort', listener, { once: true });
  if (signals.some(({ aborted }) => aborted)) listener();
  return () => {
    for (const signal of signals) signal.removeEventListener('abort', listener);
  };
}
