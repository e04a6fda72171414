/** How a caller steers a video: `[[video NAME]]` anywhere in its prompt. */

/** Where the first call for a video can be made to wait. */
export type VideoHold = 'create-before' | 'create' | 'status' | 'content';

const NAMES = [
  'stay',
  'slow',
  'list-late',
  'failed',
  'moderated',
  'charged',
  'cancelled',
  'no-file',
  'no-seconds',
  'gone',
  'gone-content',
  'cut-content',
  'moved-content',
  'elsewhere',
  'status-500',
  'create-400',
  'create-429',
  'create-moderated',
  'create-500',
  'create-500-before',
  'create-reset',
  'hold-create-before',
  'hold-create',
  'hold-status',
  'hold-content',
] as const;
export type VideoCue = (typeof NAMES)[number];

const CUE = /\[\[video ([\w-]+)\]\]/g;

/** A word that is no cue is a mistake in a test. */
export function readVideoCues(prompt: string): ReadonlySet<VideoCue> {
  const names = new Set<VideoCue>();
  for (const [, name] of prompt.matchAll(CUE)) {
    if (!NAMES.includes(name as VideoCue)) throw new Error(`there is no cue [[video ${name}]]`);
    names.add(name as VideoCue);
  }
  return names;
}
