/** How a caller steers a batch: `[[batch NAME]]` anywhere in its lines. */

/** Where the first call of a batch can be made to wait. */
export type HoldPoint = 'upload' | 'create-before' | 'create' | 'results';

const NAMES = [
  'stay',
  'slow',
  'list-late',
  'failed',
  'expired',
  'cancelled',
  'wrong-counts',
  'missing-line',
  'unreadable-line',
  'double-line',
  'foreign-line',
  'cut-results',
  'gone-results',
  'upload-500',
  'create-400',
  'create-500',
  'create-reset',
  'hold-upload',
  'hold-create-before',
  'hold-create',
  'hold-results',
] as const;
type CueName = (typeof NAMES)[number];

export interface BatchCues {
  readonly names: ReadonlySet<CueName>;
}

const CUE = /\[\[batch ([\w-]+)\]\]/g;

/** A word that is no cue is a mistake in a test. */
export function readBatchCues(text: string): BatchCues {
  const names = new Set<CueName>();
  for (const [, name] of text.matchAll(CUE)) {
    if (!NAMES.includes(name as CueName)) throw new Error(`there is no cue [[batch ${name}]]`);
    names.add(name as CueName);
  }
  return { names };
}
