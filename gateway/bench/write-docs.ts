/** Puts the figures of a run into the documentation, between two marks. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const BEGIN = '<!-- bench:begin -->';
const END = '<!-- bench:end -->';
const file = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
const TITLE = '# Performance\n\n`npm run bench -- --write` measures and writes what follows.\n';

export function writeDocs(text: string): string {
  const section = `${BEGIN}\n\n${text.trim()}\n\n${END}`;
  const old = existsSync(file) ? readFileSync(file, 'utf8') : TITLE;
  const [from, to] = [old.indexOf(BEGIN), old.indexOf(END)];
  const found = from >= 0 && to > from;
  const full = found
    ? old.slice(0, from) + section + old.slice(to + END.length)
    : `${old.trimEnd()}\n\n${section}\n`;
  writeFileSync(file, full);
  return file;
}
