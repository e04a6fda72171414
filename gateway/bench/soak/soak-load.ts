/** Everything a gateway does, at once and without end: each worker repeats one kind of work with a pause, so it is bounded. */
import { systemClock as clock, pause } from '../../src/kernel/time.ts';
import { LogReader } from '../../test/support/log-client.ts';
import type { SoakStage } from './soak-stage.ts';

/** One round of a kind of work; throws if an answer is not the expected one. */
type Work = (stage: SoakStage, round: number) => Promise<void>;

interface Kind {
  readonly workers: number;
  readonly pauseMs: number;
  readonly work: Work;
}

const POLL_MS = 200;
const LINES_FOLLOWED = 20;
const LINE_MS = 50;
const JOBS_MS_MAX = 120_000;
/** A log file is rotated at this many lines, and the oldest of a few rotated files is removed. */
const LINES_PER_FILE = 2_000;
const FILES_KEPT = 3;

export const kinds: Readonly<Record<string, Kind>> = {
  chat: { workers: 3, pauseMs: 20, work: (stage, round) => post(stage, CHAT, chat(`chat ${round}`)) },
  streams: {
    workers: 2,
    pauseMs: 20,
    work: (stage, round) => post(stage, CHAT, { ...chat(`stream ${round}`), stream: true }),
  },
  embeddings: {
    workers: 1,
    pauseMs: 50,
    work: (stage, round) =>
      post(stage, '/v1/embeddings', { model: 'sim-embed', input: [`text ${round}`, 'another'] }),
  },
  images: {
    workers: 1,
    pauseMs: 200,
    work: (stage) => post(stage, '/v1/images/generations', { model: 'sim-image', prompt: 'a red square' }),
  },
  rejections: {
    workers: 1,
    pauseMs: 50,
    work: rejected,
  },
  batches: { workers: 1, pauseMs: 500, work: runBatch },
  videos: { workers: 1, pauseMs: 500, work: runVideo },
  followers: { workers: 3, pauseMs: 100, work: followLogs },
  administration: { workers: 1, pauseMs: 100, work: administer },
};

const CHAT = '/v1/chat/completions';

export class SoakLoad {
  readonly rounds: Record<string, number> = {};
  readonly failures: string[] = [];
  readonly #stage: SoakStage;
  #stopping = false;
  #running: Promise<void>[] = [];

  constructor(stage: SoakStage) {
    this.#stage = stage;
  }

  start(): void {
    for (const [name, kind] of Object.entries(kinds)) {
      this.rounds[name] = 0;
      for (let worker = 0; worker < kind.workers; worker++) this.#running.push(this.#repeat(name, kind));
    }
    this.#running.push(this.#writeLogs());
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#running);
  }

  async #repeat(name: string, { work, pauseMs }: Kind): Promise<void> {
    while (!this.#stopping) {
      const round = (this.rounds[name] ?? 0) + 1;
      this.rounds[name] = round;
      try {
        await work(this.#stage, round);
      } catch (error) {
        this.failures.push(`${name}: ${(error as Error).message}`);
      }
      await pause(clock, pauseMs);
    }
  }

  /** Until all followers have left, because each waits for lines. */
  async #writeLogs(): Promise<void> {
    const { pod } = this.#stage;
    let written = 0;
    const followers = Promise.all(this.#running);
    let over = false;
    void followers.then(() => {
      over = true;
    });
    while (!over) {
      pod.write(`line ${++written}`);
      if (written % LINES_PER_FILE === 0) pod.rotate();
      if (pod.rotated.length > FILES_KEPT) pod.forget();
      await pause(clock, LINE_MS);
    }
  }
}

function chat(text: string): object {
  return { model: 'sim-chat', messages: [{ role: 'user', content: `Reply with exactly: ${text}` }] };
}

function send({ url, key }: SoakStage, path: string, body?: object | FormData): Promise<Response> {
  const isForm = body instanceof FormData;
  return fetch(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, ...(!isForm && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  });
}

async function expectStatus(reply: Response, status: number): Promise<string> {
  const text = await reply.text();
  if (reply.status !== status) throw new Error(`${reply.status} ${text.slice(0, 300)}`);
  return text;
}

async function post(stage: SoakStage, path: string, body: object | FormData): Promise<void> {
  await expectStatus(await send(stage, path, body), 200);
}

async function read<T>(reply: Response): Promise<T> {
  return JSON.parse(await expectStatus(reply, 200)) as T;
}

interface Progress {
  readonly id: string;
  readonly status: string;
  readonly output_file_id?: string | null;
  readonly settlement_status?: string;
}

async function until(
  stage: SoakStage,
  path: string,
  isOver: (found: Progress) => boolean,
): Promise<Progress> {
  for (const beganMs = clock.elapsedMs(); clock.elapsedMs() - beganMs < JOBS_MS_MAX; ) {
    const found = await read<Progress>(await send(stage, path));
    if (isOver(found)) return found;
    if (['failed', 'cancelled', 'expired'].includes(found.status)) throw new Error(JSON.stringify(found));
    await pause(clock, POLL_MS);
  }
  throw new Error(`${path} is not over after ${JOBS_MS_MAX} ms`);
}

async function rejected(stage: SoakStage): Promise<void> {
  await expectStatus(await send(stage, CHAT, { ...chat('nothing'), model: 'nothing' }), 404);
}

async function runBatch(stage: SoakStage, round: number): Promise<void> {
  const lines = Array.from({ length: 5 }, (_, line) =>
    JSON.stringify({
      custom_id: `line-${line}`,
      method: 'POST',
      url: CHAT,
      body: { service_tier: 'default', ...chat(`batch ${round} line ${line}`) },
    }),
  );
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([lines.join('\n')]), 'input.jsonl');
  const file = await read<{ id: string }>(await send(stage, '/v1/files', form));
  const order = { input_file_id: file.id, endpoint: CHAT, completion_window: '24h' };
  const { id } = await read<Progress>(await send(stage, '/v1/batches', order));
  // The result files are named when the batch is charged.
  const charged = await until(stage, `/v1/batches/${id}`, (batch) => batch.settlement_status === 'settled');
  await expectStatus(await send(stage, `/v1/files/${charged.output_file_id}/content`), 200);
}

async function runVideo(stage: SoakStage, round: number): Promise<void> {
  const order = { model: 'film', prompt: `a red kite ${round}` };
  const { id } = await read<Progress>(await send(stage, '/v1/video/generations', order));
  await until(stage, `/v1/jobs/${id}`, ({ status }) => status === 'succeeded');
}

async function followLogs(stage: SoakStage): Promise<void> {
  const url = `${stage.url}/api/projects/shop/logs?follow=true&tailLines=10`;
  const reader = await LogReader.open(url, { authorization: `Bearer ${stage.session}` });
  try {
    await reader.take(LINES_FOLLOWED);
  } finally {
    reader.close();
  }
}

async function administer({ admin }: SoakStage, round: number): Promise<void> {
  const name = `round-${round}`;
  await admin('keys.create', { space: 'acme', name, kind: 'shared' });
  await admin('keys.list', { space: 'acme', limit: 20 });
  await admin('reports.balance', { space: 'acme' });
  await admin('keys.revoke', { space: 'acme', name });
}
