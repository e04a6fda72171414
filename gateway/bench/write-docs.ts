/** Puts the figures of a run into the documentation, between two marks. What is run by itself has marks of its own. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const TITLE = '# Performance\n\n`npm run bench -- --write` measures and writes what follows.\n';

export type Mark =
  | 'bench'
  | 'bench-long'
  | 'bench-profile'
  | 'bench-neighbours'
  | 'bench-lists'
  | 'bench-processes'
  | 'bench-memory'
  | 'bench-commits'
  | 'bench-slow-commits';

export function writeDocs(text: string, mark: Mark, page = 'performance.md'): string {
  const file = fileURLToPath(new URL(`../../docs/${page}`, import.meta.url));
  const [begin, end] = [`<!-- ${mark}:begin -->`, `<!-- ${mark}:end -->`];
  const section = `${begin}\n\n${text.trim()}\n\n${end}`;
  const old = existsSync(file) ? readFileSync(file, 'utf8') : TITLE;
  const [from, to] = [old.indexOf(begin), old.indexOf(end)];
  const found = from >= 0 && to > from;
  const full = found
    ? old.slice(0, from) + section + old.slice(to + end.length)
    : `${old.trimEnd()}\n\n${section}\n`;
  writeFileSync(file, full);
  return file;
}
