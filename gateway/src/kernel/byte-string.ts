/**
 * Byte strings: text with one character per byte (latin1). Frames that are only relayed are never decoded; frames that
 * are translated are decoded here and encoded again.
 */
export function decodeByteString(bytes: string): string {
  return isAsciiText(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8');
}

export function toByteString(text: string): string {
  return isAsciiText(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole ASCII range is meant.
const NOT_ASCII = /[^\x00-\x7f]/;

/** Most frames are ASCII, and the check costs less than a conversion. */
function isAsciiText(text: string): boolean {
  return !NOT_ASCII.test(text);
}
