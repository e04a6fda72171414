/** The log files of a pod, written step by step as a container runtime and a kubelet do. */
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { logTimeOf } from '../../src/kernel/log-time.ts';

export function makeLogRoot(): string {
  return mkdtempSync(join(tmpdir(), 'tollgate-logs-'));
}

export interface PodNames {
  readonly project?: string;
  readonly pod: string;
  readonly uid?: string;
  readonly container?: string;
}

export class PodFiles {
  readonly folder: string;
  readonly #podFolder: string;
  #restart = 0;
  #rotations = 0;
  #clockMs = Date.parse('2026-11-15T03:00:00Z');
  /** Names of rotated files, oldest first. */
  readonly rotated: string[] = [];

  constructor(root: string, { project = 'shop', pod, uid = `uid-${pod}`, container = 'app' }: PodNames) {
    this.#podFolder = join(root, 'pods', `${project}_${pod}_${uid}`);
    this.folder = join(this.#podFolder, container);
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(this.current, '');
  }

  get current(): string {
    return join(this.folder, `${this.#restart}.log`);
  }

  /** Writes one record. Default time: the next millisecond. */
  write(text: string, options: { time?: string; stream?: 'stdout' | 'stderr'; tag?: 'P' | 'F' } = {}): void {
    const { time = logTimeOf(++this.#clockMs), stream = 'stdout', tag = 'F' } = options;
    this.raw(`${time} ${stream} ${tag} ${text}\n`);
  }

  raw(text: string): void {
    appendFileSync(this.current, text);
  }

  lines(from: number, to: number): void {
    for (let n = from; n < to; n++) this.write(`line ${n}`);
  }

  /** For a moment there is no current file. */
  rotate(): void {
    const name = `${this.current}.20261115-${String(this.#rotations++).padStart(6, '0')}`;
    renameSync(this.current, name);
    this.rotated.push(name);
    writeFileSync(this.current, '');
  }

  /** Compresses the oldest rotated file that is not compressed yet. */
  compress(): void {
    const at = this.rotated.findIndex((name) => !name.endsWith('.gz'));
    const name = this.rotated[at];
    if (name === undefined) return;
    writeFileSync(`${name}.tmp`, gzipSync(readFileSync(name)));
    renameSync(`${name}.tmp`, `${name}.gz`);
    unlinkSync(name);
    this.rotated[at] = `${name}.gz`;
  }

  /** Removes the oldest rotated file. */
  forget(): void {
    const name = this.rotated.shift();
    if (name !== undefined) unlinkSync(name);
  }

  copyTruncate(): void {
    copyFileSync(this.current, `${this.current}.1`);
    truncateSync(this.current);
  }

  restart(): void {
    this.rotated.length = 0;
    this.#restart++;
    writeFileSync(this.current, '');
  }

  /** The pod is deleted, with its files. */
  remove(): void {
    if (existsSync(this.#podFolder)) rmSync(this.#podFolder, { recursive: true });
  }
}
