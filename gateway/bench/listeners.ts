/**
 * CPU and memory of a listener that reads a JSON body and answers one: node:http, and Fastify where it is installed.
 * Run it by itself: `npm install --no-save fastify && npx node gateway/bench/listeners.ts`.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { median } from './figures.ts';
import { printTable } from './table.ts';
import { callBody, paths, UPSTREAM_MODEL, wholeAnswer } from './workload.ts';

const AT_ONCE = 32;
const WARM_UP_CALLS = 3_000;
const CALLS = 10_000;
const ROUNDS = 5;
const answer = Buffer.from(wholeAnswer());

interface Fastify {
  post(path: string, handler: (request: unknown, reply: { send(body: Buffer): void }) => void): void;
  listen(options: { port: number; host: string }): Promise<string>;
  readonly server: Server;
}

async function startListener(kind: string): Promise<Server> {
  if (kind === 'Fastify') {
    const name = 'fastify';
    const { default: fastify } = (await import(name)) as { default: () => Fastify };
    const app = fastify();
    app.post(paths.chat, (_, reply) => reply.send(answer));
    await app.listen({ port: 0, host: '127.0.0.1' });
    return app.server;
  }
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      JSON.parse(Buffer.concat(pieces).toString());
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length });
      response.end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function call(port: number, calls: number): Promise<void> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: AT_ONCE });
  const body = callBody({ model: UPSTREAM_MODEL, streams: false });
  const headers = { 'content-type': 'application/json' };
  let left = calls;
  const lane = async (): Promise<void> => {
    while (left-- > 0)
      await (await pool.request({ method: 'POST', path: paths.chat, headers, body })).body.dump();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  await pool.close();
}

async function measure(kind: string): Promise<{ cpuUs: number; mib: number }> {
  const child = fork(new URL(import.meta.url), [kind]);
  try {
    const port = (await messageOf(child)) as number;
    await call(port, WARM_UP_CALLS);
    const before = await figuresOf(child);
    await call(port, CALLS);
    const after = await figuresOf(child);
    return { cpuUs: (after.cpuUs - before.cpuUs) / CALLS, mib: after.mib };
  } finally {
    child.kill();
  }
}

function messageOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', () => reject(new Error('the listener could not be started; is it installed?')));
  });
}

async function figuresOf(child: ChildProcess): Promise<{ cpuUs: number; mib: number }> {
  child.send('figures');
  return (await messageOf(child)) as { cpuUs: number; mib: number };
}

const [kind] = process.argv.slice(2);
if (kind !== undefined) {
  const server = await startListener(kind);
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuUs: user + system, mib: process.memoryUsage().rss / 1024 ** 2 });
  });
  process.send?.((server.address() as AddressInfo).port);
} else {
  const rows: string[][] = [];
  for (const name of ['node:http', 'Fastify']) {
    const samples = [];
    for (let round = 0; round < ROUNDS; round++) samples.push(await measure(name));
    const [cpuUs, mib] = [median(samples.map((one) => one.cpuUs)), median(samples.map((one) => one.mib))];
    rows.push([name, cpuUs.toFixed(0), mib.toFixed(0)]);
  }
  const title = `A JSON body of 550 bytes in, 700 bytes out, ${AT_ONCE} calls at once`;
  process.stdout.write(printTable({ title, head: ['', 'CPU µs per call', 'MiB'], rows, notes: [] }));
}
