/** The rows of tables as parts of a backup: compressed lines, each part small enough to be held in memory. */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Transaction } from '../database/database.ts';
import { listTables, readRows, type TableFacts } from '../database/snapshot.ts';
import { GIB, MIB } from '../kernel/bytes.ts';
import { type BackedUpTable, TABLE_FOLDER } from './manifest.ts';
import type { TarWriter, WrittenPart } from './tar-writer.ts';

/** Characters of a part before it is compressed; one row may be larger. */
const PART_CHARACTERS = 4 * MIB;
/** A part cannot be larger, whatever its compressed form says. */
const PART_BYTES_MAX = GIB;
/** The lowest that compresses well: the time of a backup matters more. */
const LEVEL = 3;
/** Holds of blobs are those of this very backup. */
const LEFT_OUT = ['blob_holds'];

const compress = promisify(gzip);
const decompress = promisify(gunzip);

export async function writeTables(
  tx: Transaction,
  tar: TarWriter,
): Promise<{ tables: BackedUpTable[]; parts: WrittenPart[] }> {
  const [tables, parts]: [BackedUpTable[], WrittenPart[]] = [[], []];
  for (const table of await listTables(tx)) {
    if (LEFT_OUT.includes(table.name)) continue;
    const { name, columns } = table;
    let rows = 0;
    for await (const lines of partsOf(tx, table)) {
      rows += lines.length;
      const number = String(parts.length + 1).padStart(6, '0');
      parts.push(await tar.add(`${TABLE_FOLDER}${name}/${number}.jsonl.gz`, await compressLines(lines)));
    }
    tables.push({ name, columns, rows });
  }
  return { tables, parts };
}

async function* partsOf(tx: Transaction, table: TableFacts): AsyncGenerator<string[]> {
  let [lines, characters]: [string[], number] = [[], 0];
  for await (const rows of readRows(tx, table)) {
    for (const row of rows) {
      lines.push(row);
      characters += row.length;
      if (characters < PART_CHARACTERS) continue;
      yield lines;
      [lines, characters] = [[], 0];
    }
  }
  if (lines.length > 0) yield lines;
}

export async function compressLines(lines: readonly string[]): Promise<Buffer> {
  return await compress(`${lines.join('\n')}\n`, { level: LEVEL });
}

export async function decompressLines(content: Buffer): Promise<string[]> {
  const text = (await decompress(content, { maxOutputLength: PART_BYTES_MAX })).toString('utf8');
  return text.split('\n').slice(0, -1);
}

/** The table of a part; null for another part. */
export function tableOfPart(name: string): string | null {
  return name.startsWith(TABLE_FOLDER) ? (name.split('/')[1] ?? null) : null;
}
