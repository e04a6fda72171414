/** One tenant that takes what it can get: a process of its own, told what to do and when to stop. */

import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { MIB } from '../src/kernel/bytes.ts';
import type { AttackJob, AttackName, AttackReport } from './attack-job.ts';
import { endWithParent } from './child-process.ts';
import { EMBEDDING_MODEL } from './embeddings-workload.ts';
import { IMAGE_MODEL } from './images.ts';
import { MODEL, TRANSLATED_MODEL, VISION_MODEL } from './workload.ts';

const statuses: Record<string, number> = {};
const agent = new Agent({ keepAlive: true, maxSockets: 10_000 });
let stopped = false;

interface Sending {
  readonly path: string;
  readonly body: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** Leaves the answer unread. */
  readonly unread?: boolean;
}

function note(status: number): void {
  statuses[status] = (statuses[status] ?? 0) + 1;
}

/** Resolves with the body of the answer, or null where it broke. */
function send(job: AttackJob, { path, body, headers, unread }: Sending): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const asked: ClientRequest = request({
      host: '127.0.0.1',
      port: job.port,
      path,
      method: 'POST',
      agent,
      headers: {
        authorization: `Bearer ${job.key}`,
        'content-type': 'application/json',
        'content-length': String(body.length),
        ...headers,
      },
    });
    asked.on('error', () => {
      note(0);
      resolve(null);
    });
    asked.on('response', (response: IncomingMessage) => {
      note(response.statusCode ?? 0);
      if (unread === true) return;
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.length < 4 && chunks.push(chunk));
      response.on('error', () => resolve(null));
      response.on('end', () => resolve(Buffer.concat(chunks)));
    });
    asked.end(body);
  });
}

/** So many at once, each again when it is done. */
async function inLoop(count: number, work: () => Promise<unknown>): Promise<void> {
  const one = async (): Promise<void> => {
    while (!stopped) {
      const answer = await work();
      // Whoever is refused comes back a little later, as client libraries do.
      if (answer === null) await pause(50);
    }
  };
  await Promise.all(Array.from({ length: count }, one));
}

const CHAT = '/v1/chat/completions';

function chat(model: string, content: string, more = ''): Buffer {
  return Buffer.from(`{"model":"${model}",${more}"messages":[{"role":"user","content":${content}}]}`);
}

function image(bytes: number): string {
  const url = `data:image/png;base64,${'A'.repeat(bytes)}`;
  return `[{"type":"text","text":"what is this?"},{"type":"image_url","image_url":{"url":"${url}"}}]`;
}

const attacks: Readonly<Record<AttackName, (job: AttackJob) => Promise<unknown>>> = {
  'large-bodies': (job) => {
    const body = chat(VISION_MODEL, image(28 * MIB));
    return inLoop(12, () => send(job, { path: CHAT, body }));
  },
  'large-texts': (job) => {
    const text = JSON.stringify('A line of words, as people write them.\n'.repeat(4 * MIB * 0.025));
    const body = chat(TRANSLATED_MODEL, text, '"stream":true,');
    return inLoop(8, () => send(job, { path: CHAT, body }));
  },
  'empty-lists': (job) => {
    const body = chat(
      MODEL,
      '"hi"',
      `"metadata":[${Array.from({ length: 990_000 }, () => '[]').join(',')}],`,
    );
    return inLoop(8, () => send(job, { path: CHAT, body }));
  },
  'token-ids': (job) => {
    const list = `[${Array.from({ length: 8_000 }, (_, i) => 10_000 + i).join(',')}]`;
    const body = Buffer.from(
      `{"model":"${EMBEDDING_MODEL}","input":[${Array.from({ length: 120 }, () => list).join(',')}]}`,
    );
    return inLoop(4, () => send(job, { path: '/v1/embeddings', body }));
  },
  'stalled-bodies': async ({ port, key }) => {
    const most = Buffer.alloc(30 * MIB, 'A');
    for (let i = 0; i < 60; i++) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => note(0));
      socket.on('data', (bytes: Buffer) => note(Number(bytes.toString('latin1', 9, 12))));
      socket.write(
        `POST ${CHAT} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n` +
          `content-length: ${31 * MIB}\r\n\r\n{"messages":[{"role":"user","content":"`,
      );
      // Every other one sends nearly all of it first.
      if (i % 2 === 0) socket.write(most);
    }
  },
  'open-streams': (job) => {
    const body = chat(job.slowModel, '"hi"', '"stream":true,');
    return inLoop(500, () => send(job, { path: CHAT, body }));
  },
  uploads: (job) => inLoop(4, () => upload(job, 200 * MIB)),
  'slow-readers': (job) => {
    const body = Buffer.from(JSON.stringify({ model: IMAGE_MODEL, prompt: 'one by one' }));
    return inLoop(40, () => send(job, { path: '/v1/images/generations', body, unread: true }));
  },
  'bad-keys': async (job) => {
    const body = chat(MODEL, '"hi"');
    while (!stopped) {
      const headers = { authorization: `Bearer sk_${'a'.repeat(46)}` };
      for (let i = 0; i < 20; i++) void send(job, { path: CHAT, body, headers });
      await pause(10);
    }
  },
  'log-followers': async ({ port, session, project }) => {
    if (session === null) return;
    for (let i = 0; i < 600; i++) {
      const asked = request({
        host: '127.0.0.1',
        port,
        path: `/api/projects/${project}/logs?follow=true`,
        headers: { authorization: `Bearer ${session}` },
        agent,
      });
      asked.on('error', () => note(0));
      asked.on('response', (response) => {
        note(response.statusCode ?? 0);
        response.on('error', () => undefined).resume();
      });
      asked.end();
    }
  },
  'large-answers': (job) => {
    const images = Buffer.from(JSON.stringify({ model: IMAGE_MODEL, prompt: 'one by one' }));
    const input = Array.from({ length: 2_048 }, (_, i) => `text ${i}`);
    const embeddings = Buffer.from(JSON.stringify({ model: EMBEDDING_MODEL, input }));
    return Promise.all([
      inLoop(12, () => send(job, { path: '/v1/images/generations', body: images })),
      inLoop(4, () => send(job, { path: '/v1/embeddings', body: embeddings })),
    ]);
  },
  'inline-references': async (job) => {
    const answer = await upload(job, 20 * MIB, 'image/png');
    const { reference: uri } = JSON.parse(answer?.toString() ?? '{}') as { reference?: string };
    const body = chat(VISION_MODEL, `[{"type":"image_url","image_url":{"url":"${uri}"}}]`);
    await inLoop(12, () => send(job, { path: CHAT, body }));
  },
};

const HEADS: Readonly<Record<string, Buffer>> = {
  'video/mp4': Buffer.from('\0\0\0\x18ftypisom\0\0\x02\0isommp41', 'latin1'),
  'image/png': Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
};

function upload(job: AttackJob, bytes: number, type = 'video/mp4'): Promise<Buffer | null> {
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  const head = Buffer.from(
    `--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: ${type}\r\n\r\n`,
  );
  const file = HEADS[type] as Buffer;
  const body = Buffer.concat([
    head,
    file,
    Buffer.alloc(bytes - file.length, 1),
    Buffer.from('\r\n--b--\r\n'),
  ]);
  return send(job, { path: '/v1/references', body, headers });
}

endWithParent();
process.on('message', (job: AttackJob | 'stop') => {
  if (job !== 'stop') {
    void attacks[job.attack](job);
    return;
  }
  stopped = true;
  process.send?.({ statuses } satisfies AttackReport, () => process.exit(0));
});
