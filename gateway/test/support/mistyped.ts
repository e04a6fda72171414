/**
 * A secret with one letter changed. A fixed letter in the place of a random one is the same secret once in a while;
 * this one never is.
 */
export function mistyped(text: string, at = text.length - 1): string {
  return `${text.slice(0, at)}${text[at] === 'a' ? 'b' : 'a'}${text.slice(at + 1)}`;
}
