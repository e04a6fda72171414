/** Lets everything else that is due run first: long work is done in slices with this between them. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
