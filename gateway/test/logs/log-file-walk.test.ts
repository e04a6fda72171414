/** A file that is rotated and compressed before its reader looked into it. */
import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FileWalk } from '../../src/logs/files/file-walk.ts';
import { findStart } from '../../src/logs/files/find-start.ts';
import type { SourceFolder } from '../../src/logs/files/source-folder.ts';
import { makeLogRoot, PodFiles } from '../support/pod-files.ts';

let root: string;
let files: PodFiles;
let walk: FileWalk;
let lines: string[];

beforeEach(async () => {
  root = makeLogRoot();
  files = new PodFiles(root, { pod: 'web' });
  files.write('part one, ', { tag: 'P' });
  const folder: SourceFolder = { folder: files.folder, root, restart: 0 };
  walk = new FileWalk(folder, await findStart(folder, { kind: 'start' }, null), ({ text }) =>
    lines.push(text),
  );
  lines = [];
});
afterEach(async () => {
  await walk.close();
  rmSync(root, { recursive: true });
});

async function readToEnd(): Promise<void> {
  while ((await walk.readBlock()) || (await walk.nextFile()));
}

/** The reader has opened the second file and has found nothing in it. */
async function openEmptyFile(): Promise<void> {
  files.rotate();
  await readToEnd();
}

function compressAll(): void {
  files.compress();
  files.compress();
}

test('a file that was empty when it was opened, then written and compressed, is read once', async () => {
  await openEmptyFile();
  files.write('part two');
  files.rotate();
  files.write('next');
  compressAll();
  // It was written after its reader found nothing in it, and before the reader looks for the next file.
  await walk.nextFile();
  await readToEnd();
  expect(lines).toEqual(['part one, part two', 'next']);
});

test('after a file that stayed empty until it was compressed, the files before it are not read again', async () => {
  await openEmptyFile();
  files.rotate();
  files.write('part two');
  compressAll();
  await readToEnd();
  expect(lines).toEqual(['part one, part two']);
});
