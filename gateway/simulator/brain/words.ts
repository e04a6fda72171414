/** Text out of thin air, the same each time: a hash of the prompt seeds the choice of words. */

const VOCABULARY = (
  'river lantern copper morning signal harbour quiet window garden engine paper silver mountain thread ' +
  'winter bridge letter market orange compass shadow valley mirror kettle anchor feather meadow station ' +
  'candle summer pebble ladder canvas forest button whistle island marble pocket saddle ribbon tunnel ' +
  'carries follows answers gathers crosses opens measures remembers reaches borrows'
).split(' ');
const JOINTS = ['and', 'near', 'under', 'with', 'before', 'beyond', 'without', 'toward'];
const WORDS_ASKED = /\b(\d{1,6}) words\b/;
const WORDS_ASKED_MAX = 100_000;

/** A number in [0, 1) and then the next, for ever. */
export type Dice = () => number;

/** FNV-1a over the code units, from an earlier hash if there is one. */
export function hashText(text: string, from = 0x811c9dc5): number {
  let hash = from;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Mulberry32. */
export function rollDice(seed: number): Dice {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function pick<T>(items: readonly T[], dice: Dice): T {
  return items[Math.floor(dice() * items.length)] as T;
}

export function pickWord(dice: Dice): string {
  return pick(VOCABULARY, dice);
}

/** A few sentences, or just as many words as the prompt asks for ("in 50 words"). */
export function writeSentences(asked: string, dice: Dice): string {
  const wanted = WORDS_ASKED.exec(asked)?.[1];
  if (wanted !== undefined) return writeWords(Math.min(Number(wanted), WORDS_ASKED_MAX), dice);
  const two = `${pick(SENTENCES, dice)} ${pick(SENTENCES, dice)}`;
  return dice() < 0.5 ? two : `${two} ${pick(SENTENCES, dice)}`;
}

function writeWords(count: number, dice: Dice): string {
  const sentences: string[] = [];
  for (let left = count; left > 0; ) {
    const length = Math.min(left, 6 + Math.floor(dice() * 5));
    sentences.push(writeSentence(length, dice));
    left -= length;
  }
  return sentences.join(' ');
}

function writeSentence(length: number, dice: Dice): string {
  let text = capitalised(pickWord(dice));
  for (let i = 1; i < length; i++) text += ` ${i % 3 === 2 ? pick(JOINTS, dice) : pickWord(dice)}`;
  return `${text}.`;
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Made once: under load, whole sentences are much cheaper to pick than words. */
const SENTENCES = Array.from({ length: 1_000 }, (_, index) =>
  writeSentence(8 + (index % 5), rollDice(index)),
);
