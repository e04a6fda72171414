/**
 * Measures log streaming: `npm run bench:logs`. A pod writes as fast as one follower takes; the server is
 * a process of its own, on one core where that can be arranged. Then many follow the same project.
 * `--lines N` (10 million) and `--followers N` (500) change the amounts.
 */
import { execFileSync, fork } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Listening } from './child-process.ts';
import { cpuUs, rssMib } from './process-figures.ts';

const { values } = parseArgs({
  options: {
    lines: { type: 'string', default: '10000000' },
    followers: { type: 'string', default: '500' },
  },
});
const LINES = Number(values.lines);
const FOLLOWERS = Number(values.followers);
const BATCH = 2_000;
/** Written and not yet taken, so that no file is removed before it was read. */
const AHEAD_MAX = 40_000;
const FILE_LINES = 200_000;
const FILES_KEPT = 3;
const TEXT = '{"level":"info","path":"/v1/chat/completions","status":200,"ms":12}';

const print = (text: string): void => void process.stdout.write(`${text}\n`);

class Pod {
  readonly #folder: string;
  readonly #rotated: string[] = [];
  #inFile = 0;
  written = 0;

  constructor(root: string) {
    this.#folder = join(root, 'pods', 'bench_web-1_uid-1', 'app');
    mkdirSync(this.#folder, { recursive: true });
    writeFileSync(this.#file, '');
  }

  get #file(): string {
    return join(this.#folder, '0.log');
  }

  write(count: number): void {
    const time = new Date().toISOString().replace('Z', '000000Z');
    let text = '';
    for (let n = 0; n < count; n++) text += `${time} stdout F ${TEXT} ${this.written++}\n`;
    appendFileSync(this.#file, text);
    this.#inFile += count;
    if (this.#inFile >= FILE_LINES) this.#rotate();
  }

  #rotate(): void {
    this.#inFile = 0;
    const name = `${this.#file}.20261115-${String(this.written).padStart(12, '0')}`;
    renameSync(this.#file, name);
    writeFileSync(this.#file, '');
    this.#rotated.push(name);
    if (this.#rotated.length > FILES_KEPT) rmSync(this.#rotated.shift() as string);
  }
}

/** Counts lines; resolves with the answer once it has begun. */
function follow(port: number, query: string, onLines: (count: number) => void): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const request = get(
      { port, host: '127.0.0.1', path: `/api/projects/bench/logs?follow=true${query}` },
      (reply) => {
        reply.on('data', (chunk: Buffer) => {
          let count = 0;
          for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) count++;
          onLines(count);
        });
        reply.on('error', () => undefined);
        resolve(() => request.destroy());
      },
    );
    request.on('error', reject);
  });
}

async function measureOne(pod: Pod, server: { port: number; pid: number }): Promise<void> {
  let received = 0;
  const stop = await follow(server.port, '', (count) => {
    received += count;
  });
  const started = performance.now();
  const cpuBefore = cpuUs([server.pid]);
  const memory: string[] = [];
  for (let told = 0; received < LINES; ) {
    while (pod.written < LINES && pod.written - received < AHEAD_MAX)
      pod.write(Math.min(BATCH, LINES - pod.written));
    await new Promise((resolve) => setImmediate(resolve));
    if (received < told) continue;
    memory.push(`${(received / 1e6).toFixed(1)} M: ${rssMib([server.pid]).toFixed(0)} MiB`);
    told += LINES / 10;
  }
  const seconds = (performance.now() - started) / 1000;
  const cpuSeconds = (cpuUs([server.pid]) - cpuBefore) / 1e6;
  stop();
  if (received !== LINES) throw new Error(`${received} lines came of ${LINES}`);
  print(`one follower: ${LINES} lines in ${seconds.toFixed(1)} s, ${Math.round(LINES / seconds)} lines/s`);
  print(
    `  server: ${cpuSeconds.toFixed(1)} s of one core, ${((cpuSeconds / LINES) * 1e6).toFixed(2)} µs a line, so ${Math.round(LINES / cpuSeconds)} lines/s on a whole core`,
  );
  print(`  memory of the server: ${memory.join(', ')}`);
}

async function measureMany(pod: Pod, server: { port: number; pid: number }): Promise<void> {
  const each = 2_000;
  const received = new Array<number>(FOLLOWERS).fill(0);
  const stops = await Promise.all(
    received.map((_, i) =>
      follow(server.port, '&tailLines=0', (count) => {
        received[i] = (received[i] as number) + count;
      }),
    ),
  );
  const cpuBefore = cpuUs([server.pid]);
  const started = performance.now();
  for (let n = 0; n < each; n += 100) {
    pod.write(100);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  while (received.some((count) => count < each)) await new Promise((resolve) => setTimeout(resolve, 10));
  const seconds = (performance.now() - started) / 1000;
  const cpuSeconds = (cpuUs([server.pid]) - cpuBefore) / 1e6;
  for (const stop of stops) stop();
  print(
    `${FOLLOWERS} followers: ${each} lines to each in ${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of one core, ${((cpuSeconds / each / FOLLOWERS) * 1e6).toFixed(2)} µs a line and follower; ${rssMib([server.pid]).toFixed(0)} MiB`,
  );
}

const root = mkdtempSync(join(tmpdir(), 'tollgate-bench-logs-'));
const child = fork(new URL('./log-server.ts', import.meta.url), [root]);
try {
  const { port } = await new Promise<Listening>((resolve) =>
    child.once('message', (message) => resolve(message as Listening)),
  );
  const server = { port, pid: child.pid as number };
  try {
    execFileSync('taskset', ['-a', '-p', '-c', '0', String(server.pid)], { stdio: 'ignore' });
    execFileSync('taskset', ['-a', '-p', '-c', '1', String(process.pid)], { stdio: 'ignore' });
  } catch {
    print('(taskset is not here: the server may use more than one core)');
  }
  const pod = new Pod(root);
  await measureOne(pod, server);
  await measureMany(pod, server);
} finally {
  child.kill();
  rmSync(root, { recursive: true });
}
