/**
 * Bodies are written with a mark in the place of large bytes, and those are put in last: so they are held
 * once, and neither parsed nor copied on their way. Pure.
 */

export interface Inline {
  /** Random, so that no caller can have written it. */
  readonly mark: string;
  /** What is put in, by its number. */
  readonly pieces: ReadonlyArray<readonly Buffer[]>;
}

const NUMBER_CHARACTERS = 4;

export function placeholder(mark: string, number: number): string {
  return `${mark}${String(number).padStart(NUMBER_CHARACTERS, '0')}`;
}

/** The body in pieces, which are not joined; the body itself where there is nothing to put in. */
export function putInline(body: Buffer, { mark, pieces }: Inline): Buffer | readonly Buffer[] {
  if (pieces.length === 0) return body;
  const all: Buffer[] = [];
  let from = 0;
  for (let at = body.indexOf(mark); at >= 0; at = body.indexOf(mark, from)) {
    const behind = at + mark.length + NUMBER_CHARACTERS;
    const number = Number(body.toString('latin1', at + mark.length, behind));
    all.push(body.subarray(from, at), ...(pieces[number] ?? []));
    from = behind;
  }
  all.push(body.subarray(from));
  return all;
}
