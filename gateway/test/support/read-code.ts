/** The code and the strings of a source file, for tests that read the source. */
export interface Code {
  /** The text with comments, strings and regular expressions blanked out; every index stays. */
  readonly code: string;
  /** The strings, each at the index of its opening quote; templates with `${}` for their holes. */
  readonly strings: Array<{ index: number; text: string }>;
}

const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"|\/(?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*|[`{}]/g;
/** After these a slash begins a regular expression; after anything else it divides or closes a tag. */
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{;+\-*%~>]|\b(?:return|typeof|case|in|of|do|else|void|await))\s*$/;

/** Splits a file into code and strings. It knows just enough of the language for the tests of the house. */
export function readCode(text: string): Code {
  const strings: Code['strings'] = [];
  let code = '';
  let at = 0;
  const blank = (end: number): void => {
    code += text.slice(at, end).replace(/[^\n]/g, ' ');
    at = end;
  };
  const keep = (end: number): void => {
    code += text.slice(at, end);
    at = end;
  };
  // One entry per open brace: the template it interrupts, or null for an ordinary block.
  const open: Array<{ index: number; text: string } | null> = [];
  const template = (part: { index: number; text: string }): void => {
    const end = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{|$)/y;
    end.lastIndex = at;
    const piece = end.exec(text)?.[0] ?? '';
    const hole = piece.endsWith('${');
    part.text += hole ? `${piece}}` : piece.replace(/`$/, '');
    blank(at + piece.length - (hole ? 2 : 1));
    keep(Math.min(text.length, at + (hole ? 2 : 1)));
    if (hole) open.push(part);
    else strings.push(part);
  };
  for (;;) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (match === null) break;
    const [token] = match;
    keep(match.index);
    const end = at + token.length;
    if (token === '`') {
      keep(end);
      template({ index: at - 1, text: '' });
    } else if (token === '{') {
      keep(end);
      open.push(null);
    } else if (token === '}') {
      keep(end);
      const interrupted = open.pop();
      if (interrupted) template(interrupted);
    } else if (token.startsWith("'") || token.startsWith('"')) {
      strings.push({ index: at, text: token.slice(1, -1) });
      keep(at + 1);
      blank(end - 1);
      keep(end);
    } else if (token.startsWith('//') || token.startsWith('/*') || BEFORE_REGEX.test(code.slice(-40))) {
      blank(end);
    } else keep(at + 1);
  }
  keep(text.length);
  return { code, strings: strings.toSorted((a, b) => a.index - b.index) };
}
