/** Reads the log of a finished build, with or without line numbers. */
import type { ReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type Build, buildLogFile } from '../access/projects.store.ts';
import { Problem } from '../kernel/problem.ts';
import { maskSecrets } from '../telemetry/log.ts';
import { CUT_MARK, LINE_BYTES_MAX } from './source.ts';

const NUMBER_WIDTH = 4;
const PIECE_CHARACTERS = 64 * 1024;

export interface BuildLogOptions {
  readonly dataFolder: string;
  readonly numbers: boolean;
}

/** The log of a build is complete, and readable, only after the build has finished. */
export async function openBuildLog(build: Build, options: BuildLogOptions): Promise<AsyncGenerator<string>> {
  if (build.status === 'running') throw new Problem('build_logs_unavailable');
  const text = await openText(join(options.dataFolder, buildLogFile(build.id)));
  if (text === null) throw new Problem('build_not_found', { detail: 'The log of this build was not kept.' });
  return writeLines(readLines(text), options.numbers);
}

/** Null if there is no such file. */
async function openText(file: string): Promise<ReadStream | null> {
  try {
    const handle = await open(file, 'r');
    return handle.createReadStream({ encoding: 'utf8' });
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return null;
    throw error;
  }
}

async function* writeLines(lines: AsyncIterable<string>, numbers: boolean): AsyncGenerator<string> {
  let number = 0;
  let piece = '';
  for await (const line of lines) {
    number++;
    const text = maskSecrets(line);
    piece += numbers ? `${String(number).padStart(NUMBER_WIDTH)}  ${text}\n` : `${text}\n`;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/** Lines without line feeds; a line that is too long is cut. */
async function* readLines(text: ReadStream): AsyncGenerator<string> {
  let rest = '';
  let cut = false;
  for await (const piece of text as AsyncIterable<string>) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() as string;
    for (const line of lines) {
      yield ended(line, cut);
      cut = false;
    }
    if (rest.length > LINE_BYTES_MAX) {
      cut = true;
      rest = rest.slice(0, LINE_BYTES_MAX);
    }
  }
  if (rest !== '') yield ended(rest, cut);
}

function ended(line: string, cut: boolean): string {
  if (cut || line.length > LINE_BYTES_MAX) return line.slice(0, LINE_BYTES_MAX) + CUT_MARK;
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
