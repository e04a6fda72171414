/**
 * How fast an uploaded batch file is checked: split, UTF-8, parsed, every rule, and hashed, in one thread
 * and in pieces of the size that the network gives.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { BatchFileCheck } from '../src/batch-files/check-batch-file.ts';
import { batchModelsOf } from '../src/batch-files/find-batch-model.ts';
import { readCatalog } from '../src/catalog/read-catalog.ts';
import { readConfigFile } from '../src/config/config-file.ts';
import { median } from './figures.ts';
import type { Table } from './table.ts';

export interface BatchCheckSample {
  readonly title: string;
  readonly bytes: number;
  readonly rows: number;
  /** Of the CPU, median of the rounds, in MB (10⁶ bytes) a second. */
  readonly mbPerSecond: number;
  readonly range: readonly [number, number];
}

/** What is promised for files of ordinary lines. */
export const BATCH_CHECK_GOAL = 50;
const PIECE_BYTES = 64 * 1024;
const FILE_BYTES = 40_000_000;

const demo = readFileSync(new URL('../demo/tollgate.yaml', import.meta.url), 'utf8');

export function checkBatches(options: { rounds: number; say: (line: string) => void }): BatchCheckSample[] {
  return files.map(({ title, line }) => {
    const { bytes, rows } = makeFile(line);
    const speeds = Array.from({ length: options.rounds }, () => checkOnce(bytes));
    const mbPerSecond = median(speeds);
    options.say(`batch-check ${title}: ${mbPerSecond.toFixed(0)} MB/s`);
    return {
      title,
      bytes: bytes.length,
      rows,
      mbPerSecond,
      range: [Math.min(...speeds), Math.max(...speeds)],
    };
  });
}

export function batchCheckTable(samples: readonly BatchCheckSample[]): Table {
  return {
    title: 'Checking a batch file: every rule and SHA-256, one core',
    head: ['', 'rows', 'MB', 'MB/s', '(min–max)'],
    rows: samples.map(({ title, rows, bytes, mbPerSecond, range: [min, max] }) => [
      title,
      String(rows),
      (bytes / 1e6).toFixed(0),
      mbPerSecond.toFixed(0),
      `${min.toFixed(0)}–${max.toFixed(0)}`,
    ]),
    notes: [
      `The aim is ${BATCH_CHECK_GOAL} MB/s. A file has at most 50,000 rows, so that one of very short lines is ` +
        'small, and is checked in well under a second all the same.',
    ],
  };
}

function checkOnce(bytes: Buffer): number {
  const catalog = readCatalog(readConfigFile(demo, { TOLLGATE_SIMULATOR_URL: 'http://localhost:1' }), 0);
  const check = new BatchFileCheck({ findModel: batchModelsOf(catalog, null), badRowsMax: 100 });
  const hash = createHash('sha256');
  const before = process.cpuUsage();
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const piece = bytes.subarray(at, at + PIECE_BYTES);
    hash.update(piece);
    check.push(piece);
  }
  const { badRowCount } = check.end();
  hash.digest();
  const { user, system } = process.cpuUsage(before);
  if (badRowCount > 0) throw new Error(`${badRowCount} rows of the file are bad`);
  return bytes.length / (user + system);
}

const words = 'The quick brown fox jumps over the lazy dog, "again" and — again.\n';
const text = (id: number, messages: unknown): object => ({
  custom_id: `row-${id}`,
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'sim-chat', service_tier: 'default', messages },
});
const turns = Array.from({ length: 60 }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: words }));
const ids = Array.from({ length: 700 }, (_, i) => (i * 7_919) % 100_000);

const files: ReadonlyArray<{ title: string; line: (id: number) => object }> = [
  {
    title: 'chat, 4 KB a line',
    line: (id) =>
      text(id, [
        { role: 'system', content: words },
        { role: 'user', content: words.repeat(55) },
      ]),
  },
  { title: 'chat, 60 messages a line', line: (id) => text(id, turns) },
  {
    title: 'embeddings, 700 token ids a line',
    line: (id) => ({
      custom_id: `row-${id}`,
      method: 'POST',
      url: '/v1/embeddings',
      body: { model: 'sim-embed', input: ids },
    }),
  },
  { title: 'chat, one short message a line', line: (id) => text(id, [{ role: 'user', content: 'Hello' }]) },
];

/** As large as asked for, or as many rows as a file may have. */
function makeFile(line: (id: number) => object): { bytes: Buffer; rows: number } {
  const lines: string[] = [];
  for (let bytes = 0; bytes < FILE_BYTES && lines.length < 50_000; ) {
    const made = `${JSON.stringify(line(lines.length))}\n`;
    bytes += Buffer.byteLength(made);
    lines.push(made);
  }
  return { bytes: Buffer.from(lines.join('')), rows: lines.length };
}
