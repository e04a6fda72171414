/** HTML that is written by hand: texts in it are escaped unless they are HTML already. Pure. */

/** Written by `html` or from text that was checked. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = Html | string | number | readonly Html[] | null;

/** A template whose texts are escaped. Null is nothing, and a list is its items in order. */
export function html(parts: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(parts.reduce((text, part, i) => text + pieceText(pieces[i - 1] ?? null) + part));
}

export function joined(pieces: readonly Html[], between = ''): Html {
  return new Html(pieces.map(({ text }) => text).join(between));
}

function pieceText(piece: Piece): string {
  if (piece === null) return '';
  if (piece instanceof Html) return piece.text;
  if (typeof piece === 'object') return joined(piece).text;
  return escapeHtml(String(piece));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] as string);
}
