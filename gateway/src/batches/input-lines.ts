/** Reads the lines of an input file with their numbers. Blank lines are counted and skipped. */
import type { Readable } from 'node:stream';
import { BATCH_LINE_BYTES_MAX } from '../contract/batch-lines/batch-limits.ts';
import { BatchLines } from '../contract/batch-lines/batch-lines.ts';

export interface InputLine {
  readonly bytes: Buffer;
  /** The line number, starting at 1. */
  readonly line: number;
}

export async function* inputLines(input: Readable): AsyncGenerator<InputLine> {
  let ready: InputLine[] = [];
  const lines = new BatchLines<Buffer>({
    join: Buffer.concat,
    bytesMax: BATCH_LINE_BYTES_MAX,
    // The bytes are valid only during this call.
    onLine: (bytes, line) => ready.push({ bytes: Buffer.from(bytes), line }),
    onTooLong: (line) => {
      throw new Error(`line ${line} is longer than when it was checked`);
    },
  });
  for await (const chunk of input as AsyncIterable<Buffer>) {
    lines.push(chunk);
    yield* ready;
    ready = [];
  }
  lines.end();
  yield* ready;
}
