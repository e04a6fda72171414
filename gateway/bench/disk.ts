/** How long the disk takes to make a page durable: no commit can be quicker than that. */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { median } from './figures.ts';

const PAGE = Buffer.alloc(8 * 1024, 1);
const WRITES_MAX = 200;
const TIME_MS_MAX = 2_000;

export function syncMs(folder: string): number {
  const file = openSync(join(folder, 'sync-probe'), 'w');
  const times: number[] = [];
  const startMs = performance.now();
  try {
    while (times.length < WRITES_MAX && performance.now() - startMs < TIME_MS_MAX) {
      const beforeMs = performance.now();
      writeSync(file, PAGE, 0, PAGE.length, 0);
      fdatasyncSync(file);
      times.push(performance.now() - beforeMs);
    }
  } finally {
    closeSync(file);
  }
  return median(times);
}
