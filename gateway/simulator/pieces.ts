/** Cuts a text into the pieces of a stream. */

/** Pieces of so many characters; none ends within a surrogate pair. */
export function cutEvery(text: string, size: number): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = boundary(text, from + size);
    pieces.push(text.slice(from, end));
    from = end;
  }
  return pieces;
}

/** Just so many pieces, some of them empty if the text is shorter. */
export function cutInto(text: string, count: number): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (let i = 1; i <= count; i++) {
    const end = Math.max(from, boundary(text, Math.floor((i * text.length) / count)));
    pieces.push(text.slice(from, end));
    from = end;
  }
  return pieces;
}

function boundary(text: string, at: number): number {
  const before = text.charCodeAt(at - 1);
  return before >= 0xd800 && before <= 0xdbff && at < text.length ? at + 1 : at;
}
