/** Letters of no language, the same in every run: what takes a tokenizer the longest. */
export function letters(length: number, seed = 1): string {
  let [text, state] = ['', seed];
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    text += 'abcdefghijklmnopqrstuvwxyz'[(state >>> 16) % 26];
  }
  return text;
}
