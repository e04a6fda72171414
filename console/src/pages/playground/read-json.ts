/** Reads what was typed as JSON; an error names the line. Pure. */

export type ReadJson =
  | { readonly value: unknown; readonly error: null }
  | { readonly value: undefined; readonly error: { readonly line: number; readonly reason: string } };

/** Blank text is no value and no error. */
export function readJson(text: string): ReadJson {
  if (text.trim() === '') return { value: undefined, error: null };
  try {
    return { value: JSON.parse(text) as unknown, error: null };
  } catch (thrown) {
    const message = (thrown as Error).message;
    return { value: undefined, error: { line: lineOf(message, text), reason: plain(message) } };
  }
}

/** Browsers name a position or a line; an end that came too early is at the last line. */
function lineOf(message: string, text: string): number {
  const named = /line (\d+)/.exec(message)?.[1];
  if (named !== undefined) return Number(named);
  const position = /position (\d+)/.exec(message)?.[1];
  const before = position === undefined ? text.trimEnd() : text.slice(0, Number(position));
  return before.split('\n').length;
}

/** Without the place, which is shown separately, and without a quotation of the text. */
function plain(message: string): string {
  return message
    .replace(/^JSON\.parse: /, '')
    .replace(/,? ?"?\.{3}.*is not valid JSON$/s, '')
    .replace(/,? ".*" is not valid JSON$/s, '')
    .replace(/ in JSON at position.*$/s, '')
    .replace(/ at line \d+ column \d+ of the JSON data$/, '');
}
