/** Lines that are JSON, written over several lines. Pure. */

/** Parsing longer ones would be felt. */
const CHARACTERS_MAX = 256 * 1024;

/** Null if the text is not a JSON object or array. The text of numbers and strings is kept as it is. */
export function prettyJson(text: string): string | null {
  const json = text.trim();
  if (!looksLikeJson(json) || json.length > CHARACTERS_MAX) return null;
  try {
    JSON.parse(json);
  } catch {
    return null;
  }
  return indent(json);
}

function looksLikeJson(json: string): boolean {
  return (json.startsWith('{') && json.endsWith('}')) || (json.startsWith('[') && json.endsWith(']'));
}

/** The tokens of valid JSON: strings, brackets, separators, and everything else that is not white space. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

function indent(json: string): string {
  const tokens: readonly string[] = json.match(TOKENS) ?? [];
  let [out, depth] = ['', 0];
  const line = (): string => `\n${'  '.repeat(depth)}`;
  for (const [i, token] of tokens.entries()) {
    if (isOpening(token)) {
      depth++;
      out += isClosing(tokens[i + 1]) ? token : token + line();
    } else if (isClosing(token)) {
      depth--;
      out += isOpening(tokens[i - 1]) ? token : line() + token;
    } else if (token === ',') out += token + line();
    else out += token === ':' ? ': ' : token;
  }
  return out;
}

function isOpening(token: string | undefined): boolean {
  return token === '{' || token === '[';
}

function isClosing(token: string | undefined): boolean {
  return token === '}' || token === ']';
}
