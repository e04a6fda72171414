/** Estimates tokens from characters, for when they cannot be counted: four Latin characters, or one of any other script. Pure. */

const CHARACTERS_PER_TOKEN = 4;
const LATIN_MAX = 0x024f;
/** Longer texts are estimated from so many of their characters, which takes no time. */
const SAMPLE_CHARACTERS = 65_536;

export function roughTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

export function estimateTokens(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Math.ceil(weightOf(text) / CHARACTERS_PER_TOKEN), 0);
}

function weightOf(text: string): number {
  const step = Math.max(1, Math.floor(text.length / SAMPLE_CHARACTERS));
  let [weight, seen] = [0, 0];
  for (let i = 0; i < text.length; i += step) {
    weight += text.charCodeAt(i) > LATIN_MAX ? CHARACTERS_PER_TOKEN : 1;
    seen++;
  }
  return seen === 0 ? 0 : (weight * text.length) / seen;
}
