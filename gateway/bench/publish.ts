/** Shows the figures of a run, and puts them into the documentation if that was asked for. */
import { markdownTable, printTable, type Table } from './table.ts';
import { type Mark, writeDocs } from './write-docs.ts';

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
