/**
 * What depends on the inside of Node or V8 and not on what they document. Each has a name, by which TOLLGATE_PLAIN turns
 * it off, and a row in docs/performance.md. `bin/tollgate.js`, which is no TypeScript, reads its own two itself.
 */
export const nodeInsides = [
  'accepted-sockets',
  'memory-return',
  'reused-memory',
  'string-scanner',
  'taken-bytes',
  'unread-bytes',
  'young-objects',
] as const;
export type NodeInside = (typeof nodeInsides)[number];

/** What TOLLGATE_PLAIN says: `all`, or names. */
export function readPlain(text: string): { all: boolean; names: string[]; unknown: string[] } {
  const names = text.split(/[\s,]+/).filter((name) => name !== '');
  const known: readonly string[] = ['all', ...nodeInsides];
  return { all: names.includes('all'), names, unknown: names.filter((name) => !known.includes(name)) };
}

/** Of the process and its threads, as it was started. */
const plain = readPlain(process.env.TOLLGATE_PLAIN ?? '');

export function usesInside(name: NodeInside): boolean {
  return !plain.all && !plain.names.includes(name);
}
