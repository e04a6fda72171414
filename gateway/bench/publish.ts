/** Shows the figures of a run, and puts them into the documentation if that was asked for. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { markdownTable, printTable, type Table } from './table.ts';

export interface RunFigures {
  /** From `machineText`. */
  readonly machine: string;
  readonly tables: readonly Table[];
  /** Markdown behind the tables. */
  readonly method?: string;
  readonly faults: readonly string[];
}

/** Returns whether there are no faults. `into`: where `--write` puts the figures; null without it. */
export function publish(
  { machine, tables, method = '', faults }: RunFigures,
  into: { readonly mark: Mark; readonly page?: string } | null,
): boolean {
  print(`\n${tables.map(printTable).join('\n')}`);
  for (const fault of faults) print(`WRONG: ${fault}`);
  if (into !== null) {
    const today = new Date().toISOString().slice(0, 10);
    const text = [`Measured on ${today}: ${machine}.`, '', ...tables.map(markdownTable), method].join('\n');
    print(`written: ${writeDocs(text, into.mark, into.page)}`);
  }
  return faults.length === 0;
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** What is done at the moment. */
export function say(line: string): void {
  process.stderr.write(`  ${line}\n`);
}

const TITLE = '# Performance\n\n`npm run bench -- --write` measures and writes what follows.\n';

type Mark =
  | 'bench'
  | 'bench-long'
  | 'bench-profile'
  | 'bench-neighbours'
  | 'bench-lists'
  | 'bench-processes'
  | 'bench-memory'
  | 'bench-commits'
  | 'bench-slow-commits';

/** Between two marks. What is run by itself has marks of its own. */
function writeDocs(text: string, mark: Mark, page = 'performance.md'): string {
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
