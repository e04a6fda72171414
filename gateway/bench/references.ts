/**
 * How much memory many large uploads at once take. The bytes are made here and sent as fast as they are
 * taken; a fault is an upload that was not taken in full.
 */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { ReferenceUpload } from '../src/contract/references.ts';
import { rssMib } from './process-figures.ts';
import type { Table } from './table.ts';
import type { Target } from './target.ts';

const UPLOADS = 20;
const PIECE_BYTES = 1_048_576;
const LOOK_MS = 50;
const MORE_MIB_MAX = 300;

export interface ReferencesSample {
  readonly target: Target;
  readonly fileMib: number;
  readonly idleMib: number;
  readonly peakMib: number;
  readonly seconds: number;
  readonly faults: readonly string[];
}

export async function measureReferences(
  target: Target,
  { fileMib, say }: { fileMib: number; say: (line: string) => void },
): Promise<ReferencesSample> {
  // A small one first, so that what every upload needs is there already.
  await upload(target, 1);
  const idleMib = rssMib(target.pids());
  let peakMib = idleMib;
  const looking = setInterval(() => {
    peakMib = Math.max(peakMib, rssMib(target.pids()));
  }, LOOK_MS);
  const startedMs = performance.now();
  const answers = await Promise.all(Array.from({ length: UPLOADS }, () => upload(target, fileMib)));
  const seconds = (performance.now() - startedMs) / 1000;
  clearInterval(looking);
  say(`${target.name}: ${peakMib.toFixed(0)} MiB at most, ${seconds.toFixed(1)} s`);
  const faults = answers.filter((answer) => answer !== null).map((answer) => `${target.name}: ${answer}`);
  return { target, fileMib, idleMib, peakMib, seconds, faults };
}

export function referencesTable(samples: readonly ReferencesSample[]): Table {
  return {
    title: `${UPLOADS} uploads of ${samples[0]?.fileMib} MiB at once, as references`,
    head: ['', 'MiB before', 'MiB at most', 'MiB more', `at most ${MORE_MIB_MAX}`, 'MB/s in all'],
    rows: samples.map(({ target, fileMib, idleMib, peakMib, seconds }) => [
      target.name,
      idleMib.toFixed(0),
      peakMib.toFixed(0),
      (peakMib - idleMib).toFixed(0),
      peakMib - idleMib <= MORE_MIB_MAX ? 'pass' : 'miss',
      ((UPLOADS * fileMib * 1.048576) / seconds).toFixed(0),
    ]),
    notes: [],
  };
}

/** Null when it was taken in full; else what was answered. */
async function upload(target: Target, fileMib: number): Promise<string | null> {
  const sent = request({
    port: target.port,
    path: '/v1/references',
    method: 'POST',
    headers: {
      authorization: `Bearer ${target.key}`,
      'content-type': 'multipart/form-data; boundary=b',
    },
  });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  const head = Buffer.from('\0\0\0\x18ftypisom\0\0\x02\0isommp41', 'latin1');
  sent.write(
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a.mp4"\r\nContent-Type: video/mp4\r\n\r\n',
  );
  sent.write(head);
  const piece = Buffer.alloc(PIECE_BYTES, 1);
  const first = piece.subarray(head.length);
  for (let i = 0; i < fileMib; i++) {
    if (!sent.write(i === 0 ? first : piece)) await once(sent, 'drain');
  }
  sent.end('\r\n--b--\r\n');
  const [reply] = await answered;
  const text = Buffer.concat(await reply.toArray()).toString();
  const taken =
    reply.statusCode === 200 && (JSON.parse(text) as ReferenceUpload).bytes === fileMib * PIECE_BYTES;
  return taken ? null : `${reply.statusCode} ${text}`;
}
