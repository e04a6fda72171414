/** Exponential backoff with jitter and a maximum. Pure. */
export function backoffMs(
  attempt: number,
  options: { firstMs: number; maxMs: number; random: number },
): number {
  const ceiling = Math.min(options.maxMs, options.firstMs * 2 ** attempt);
  return Math.round(ceiling * (0.5 + options.random / 2));
}
