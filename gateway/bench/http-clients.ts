/**
 * Compares HTTP clients on loopback: our own one for model calls with undici and node:http, and fetching media with
 * undici (net/fetch-public.ts) with node:http. The server is a process of its own; CPU is that of this process.
 */
import { createServer, Agent as HttpAgent, request as requestHttp, type Server } from 'node:http';
import { Pool } from 'undici';
import { MIB } from '../src/kernel/bytes.ts';
import { systemClock } from '../src/kernel/time.ts';
import { BodyCollector } from '../src/net/collect-body.ts';
import { fetchPublic } from '../src/net/fetch-public.ts';
import { UpstreamClient } from '../src/net/upstream.ts';
import { UpstreamFailure } from '../src/net/upstream-call.ts';
import { median } from './figures.ts';
import type { Table } from './table.ts';
import { callBody, paths, UPSTREAM_MODEL } from './workload.ts';

const AT_ONCE = 32;
const FETCHES = 100;
const FETCHED_BYTES = MIB;
const ANSWER_BYTES_MAX = 64 * MIB;
const TIMES = { connectTimeoutMs: 5_000, silenceTimeoutMs: 30_000 };

interface HttpClient {
  readonly name: string;
  /** Resolves with the length of the answer. */
  call(body: Buffer): Promise<number>;
  close(): Promise<unknown>;
}

interface Figure {
  readonly callsPerSecond: number;
  readonly cpuUs: number;
}

export async function compareClients(
  port: number,
  { rounds, windowMs, say }: { rounds: number; windowMs: number; say: (line: string) => void },
): Promise<Table[]> {
  const tables: Table[] = [];
  for (const streams of [false, true]) {
    const body = Buffer.from(callBody({ model: UPSTREAM_MODEL, streams }));
    const clients = [ownClient(port), undiciClient(port), nodeClient(port)];
    const figures = new Map(clients.map(({ name }) => [name, [] as Figure[]]));
    for (const client of clients) await callFor(client, body, windowMs);
    for (let round = 0; round < rounds; round++) {
      for (const client of clients) figures.get(client.name)?.push(await callFor(client, body, windowMs));
    }
    for (const client of clients) await client.close();
    say(`http clients, ${streams ? 'streams' : 'JSON'}: done`);
    tables.push(clientsTable(streams ? 'A stream of 20 frames' : 'A JSON answer of 700 bytes', figures));
  }
  return [...tables, await compareFetching(rounds)];
}

function clientsTable(what: string, figures: ReadonlyMap<string, readonly Figure[]>): Table {
  return {
    title: `${what}, ${AT_ONCE} calls at once`,
    head: ['', 'CPU µs per call', 'calls/s'],
    rows: [...figures].map(([name, samples]) => [
      name,
      median(samples.map(({ cpuUs }) => cpuUs)).toFixed(0),
      median(samples.map(({ callsPerSecond }) => callsPerSecond)).toFixed(0),
    ]),
    notes: [],
  };
}

async function callFor(client: HttpClient, body: Buffer, windowMs: number): Promise<Figure> {
  let calls = 0;
  const startedMs = performance.now();
  const before = process.cpuUsage();
  const lane = async (): Promise<void> => {
    while (performance.now() - startedMs < windowMs) {
      if ((await client.call(body)) === 0) throw new Error(`${client.name}: an empty answer`);
      calls++;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  const { user, system } = process.cpuUsage(before);
  return {
    callsPerSecond: (calls * 1000) / (performance.now() - startedMs),
    cpuUs: (user + system) / calls,
  };
}

function ownClient(port: number): HttpClient {
  const client = new UpstreamClient({ baseUrl: `http://127.0.0.1:${port}`, clock: systemClock, ...TIMES });
  const endpoint = client.endpoint(paths.chat, { 'content-type': 'application/json' });
  return {
    name: 'our own (net/upstream.ts)',
    call: (body) =>
      new Promise((resolve, reject) => {
        const call = endpoint.post(body, {
          head: () =>
            new BodyCollector({
              bytesMax: ANSWER_BYTES_MAX,
              onTooLong: () => call.abort(),
              done: (read) => (read instanceof UpstreamFailure ? reject(read) : resolve(read.length)),
            }),
          fail: reject,
        });
      }),
    close: () => client.close(),
  };
}

function undiciClient(port: number): HttpClient {
  const pool = new Pool(`http://127.0.0.1:${port}`);
  return {
    name: 'undici',
    async call(body) {
      const headers = { 'content-type': 'application/json' };
      const reply = await pool.request({ method: 'POST', path: paths.chat, headers, body });
      return (await reply.body.arrayBuffer()).byteLength;
    },
    close: () => pool.close(),
  };
}

function nodeClient(port: number): HttpClient {
  const agent = new HttpAgent({ keepAlive: true });
  return {
    name: 'node:http',
    call: (body) =>
      new Promise((resolve, reject) => {
        const headers = { 'content-type': 'application/json', 'content-length': body.length };
        const options = { host: '127.0.0.1', port, method: 'POST', path: paths.chat, agent, headers };
        const request = requestHttp(options, (reply) => {
          let bytes = 0;
          reply.on('data', (piece: Buffer) => {
            bytes += piece.length;
          });
          reply.on('end', () => resolve(bytes));
          reply.on('error', reject);
        });
        request.on('error', reject);
        request.end(body);
      }),
    close: async () => agent.destroy(),
  };
}

/** The server is in this process, so its time counts for both alike. */
async function compareFetching(rounds: number): Promise<Table> {
  const content = Buffer.alloc(FETCHED_BYTES, 'x');
  const server: Server = createServer((_, response) => void response.end(content));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`;
  const ways: Array<[string, () => Promise<number>]> = [
    ['undici (net/fetch-public.ts)', () => fetchWithUndici(url)],
    ['node:http', () => fetchWithNode(url)],
  ];
  const samples = new Map(ways.map(([name]) => [name, [] as Array<{ ms: number; cpuMs: number }>]));
  // The first round only warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const [name, fetchOne] of ways) {
      const startedMs = performance.now();
      const before = process.cpuUsage();
      for (let i = 0; i < FETCHES; i++) {
        if ((await fetchOne()) !== FETCHED_BYTES) throw new Error(`${name}: not the whole content`);
      }
      const { user, system } = process.cpuUsage(before);
      const sample = { ms: performance.now() - startedMs, cpuMs: (user + system) / 1000 / FETCHES };
      if (round > 0) samples.get(name)?.push(sample);
    }
  }
  const rows = [...samples].map(([name, of]) => [
    name,
    median(of.map(({ ms }) => ms)).toFixed(0),
    median(of.map(({ cpuMs }) => cpuMs)).toFixed(2),
  ]);
  server.closeAllConnections();
  server.close();
  return {
    title: `${FETCHES} × 1 MiB of media, one after the other, a connection each`,
    head: ['', 'ms in all', 'CPU ms each'],
    rows,
    notes: [],
  };
}

async function fetchWithUndici(url: string): Promise<number> {
  const guard = { check: async (text: string) => ({ url: new URL(text), addresses: ['127.0.0.1'] }) };
  const limits = { bytesMax: ANSWER_BYTES_MAX, totalMs: TIMES.silenceTimeoutMs };
  const wanted = { param: 'url', schemes: ['http' as const], limits };
  return (await fetchPublic(url, wanted, { guard, clock: systemClock })).length;
}

function fetchWithNode(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = requestHttp(url, { agent: false }, (reply) => {
      const pieces: Buffer[] = [];
      reply.on('data', (piece: Buffer) => pieces.push(piece));
      reply.on('end', () => resolve(Buffer.concat(pieces).length));
      reply.on('error', reject);
    });
    request.on('error', reject);
    request.end();
  });
}
