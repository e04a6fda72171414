/** A temporary folder in memory, if the machine has one with room for the largest tests. */

import { existsSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { GIB } from '../../src/kernel/bytes.ts';

const FOLDER = '/dev/shm';
const FREE_GIB_MIN = 8;

export function memoryFolder(): string | null {
  if (process.platform !== 'linux' || !existsSync(FOLDER)) return null;
  const { bavail, bsize } = statfsSync(FOLDER);
  return Math.min(bavail * bsize, freemem()) >= FREE_GIB_MIN * GIB ? FOLDER : null;
}
