/** Where a grant keeps its ref: at the end of its note, so that a second apply does not grant twice. Pure. */
const MARK = /(?:^| )\[ref: ([^\]]+)\]$/;

export function noteWithRef(ref: string, note = ''): string {
  return `${note} [ref: ${ref}]`.trimStart();
}

/** Null: the grant was not made by "apply". */
export function refOf(note: string): string | null {
  return MARK.exec(note)?.[1] ?? null;
}
