/** Puts a table that is made from code into a document, between `<!-- mark -->` and `<!-- /mark -->`. */
export function replaceMarked(document: string, mark: string, table: string): string {
  const [begin, end] = [`<!-- ${mark} -->\n`, `<!-- /${mark} -->`];
  const [start, stop] = [document.indexOf(begin), document.indexOf(end)];
  if (start < 0 || stop < start) throw new Error(`The markers ${begin.trim()} and ${end} are missing.`);
  return `${document.slice(0, start)}${begin}${table}${document.slice(stop)}`;
}
