/** Clients that leave, that do not read, and that have to wait: what the gateway does for each. */

import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { Exchange } from '../../src/http/exchange.ts';
import { FairQueue } from '../../src/http/fair-queue.ts';
import { HttpCallReply } from '../../src/http/http-call-reply.ts';
import { KeepAliveTimer, SILENCE_MS } from '../../src/http/keep-alive-timer.ts';
import { MIB } from '../../src/kernel/bytes.ts';
import { SseFramer } from '../../src/kernel/framing.ts';
import { Problem } from '../../src/kernel/problem.ts';
import { estimateTokens } from '../../src/kernel/rough-tokens.ts';
import { type Clock, systemClock } from '../../src/kernel/time.ts';
import { writeChatFailure } from '../../src/text/formats/chat/write-stream.ts';
import { faultModels, simulated, testConfig } from '../support/config.ts';
import { startEdge } from '../support/edge.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';

interface CallRow {
  readonly outcome: string;
  readonly problem: string | null;
  readonly usage_source: string;
  readonly output_tokens: number | null;
  readonly cost: string | null;
}

let gateway: TestGateway;
let flood: Flood;

beforeAll(async () => {
  flood = await startFlood();
  const faults = faultModels(['hang', 'slow-stream', 'hang-mid-stream']);
  const config = testConfig({
    models: { ...faults, flood: simulated('flood', 'flood') },
    providers: { flood: { dialect: 'openai', base_url: flood.url } },
    prices: { 'sim-fault-hang-mid-stream': { input: 1, output: 2 } },
  });
  gateway = await startGateway({ config });
});
afterAll(async () => {
  await gateway.stop();
  await flood.stop();
});

describe('a client that leaves', () => {
  const words = '[[chunks 8]] Reply with exactly: one two three four five six seven eight';

  test('amid a stream stops the provider and is charged once, for what was produced', async () => {
    const all = await chunkTokens();
    const answer = await ask({ model: 'sim-fault-hang-mid-stream', stream: true, content: words });
    let content = '';
    let contentFrames = 0;
    const framer = new SseFramer({
      charactersMax: MIB,
      onFrame: (data) => {
        const delta: string = JSON.parse(data).choices[0]?.delta.content ?? '';
        content += delta;
        if (delta !== '') contentFrames++;
      },
    });
    // The provider sends half of its eight pieces and then nothing.
    await new Promise<void>((resolve) => {
      answer.on('data', (chunk) => {
        framer.push(String(chunk));
        if (contentFrames >= 4) resolve();
      });
    });
    answer.destroy();
    const id = answer.headers['x-request-id'] as string;
    await gateway.simulator.waitFor((call) => call.model === 'sim-fault-hang-mid-stream' && call.aborted);
    const row = await onlyRow(id);
    expect(row).toMatchObject({ outcome: 'partial', usage_source: 'estimated' });
    const sum = (count: number): number => all.slice(0, count).reduce((a, b) => a + b, 0);
    // Estimated if the machine is too busy to count them in time.
    const least = Math.min(sum(contentFrames), estimateTokens([content]));
    expect(row.output_tokens).toBeGreaterThanOrEqual(least);
    expect(row.output_tokens).toBeLessThanOrEqual(sum(contentFrames + 1));
    expect(Number(row.cost)).toBeGreaterThan(0);
    expect(content).toMatch(/^one two/);
  });

  test('is not held against the provider: the row of a call that was left names no problem', async () => {
    const answer = await ask({
      model: 'sim-fault-slow-stream',
      stream: true,
      content: '[[delay 30]] 30 words',
    });
    await once(answer, 'data');
    answer.destroy();
    const row = await onlyRow(answer.headers['x-request-id'] as string);
    expect(row).toMatchObject({ outcome: 'partial', problem: null });
  });

  test.each([true, false])('before the first byte pays nothing (stream: %s)', async (stream) => {
    const content = `Silence please (${stream}).`;
    const sent = send({ model: 'sim-fault-hang', stream, content });
    sent.on('error', () => undefined);
    const reached = await gateway.simulator.waitFor((call) => call.text.includes(content));
    sent.destroy();
    await gateway.simulator.waitFor((call) => call.id === reached.id && call.aborted);
    const rows = await vi.waitFor(async () => {
      const found = await gateway.query<CallRow>(
        sql`select * from calls where model = 'sim-fault-hang' and streamed = ${stream}`,
      );
      expect(found.length).toBeGreaterThan(0);
      return found;
    }, PATIENCE);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ outcome: 'failed', problem: null, usage_source: 'none', cost: null });
  });

  /** How many tokens each piece of the whole answer counts. */
  async function chunkTokens(): Promise<number[]> {
    const response = await gateway.chat({
      model: 'sim-chat',
      stream: true,
      messages: [{ role: 'user', content: words }],
    });
    const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'));
    const pieces = lines.map((line) => JSON.parse(line.slice(6)).choices[0]?.delta.content ?? '');
    return pieces.filter((piece) => piece !== '').map((piece) => countTokens(piece));
  }
});

test('a client that stops reading makes the gateway stop reading', async () => {
  const answer = await ask({ model: 'flood', stream: true, content: 'go' });
  await once(answer, 'data');
  answer.pause();
  // The provider is stopped when it wrote nothing while several other calls ran to their end.
  for (let still = 0; still < 5; ) {
    const before = flood.written;
    const other = await gateway.chat({ model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] });
    await other.text();
    still = flood.written === before ? still + 1 : 0;
    expect(flood.written).toBeLessThan(16 * MIB);
  }
  const stopped = flood.written;
  const goesOn = flood.nextWrite();
  answer.resume();
  await goesOn;
  expect(flood.written).toBeGreaterThan(stopped);
  const left = flood.nextClose();
  answer.destroy();
  await left;
});

describe('a client that has to wait', () => {
  test('is sent a comment after every 15 s of silence, and only then', () => {
    const clock = handClock();
    const keepAlive = new KeepAliveTimer(clock);
    const sent: number[] = [];
    const stream = {
      place: -1,
      lastSentMs: clock.elapsedMs(),
      sendKeepAlive() {
        sent.push(clock.elapsedMs());
        this.lastSentMs = clock.elapsedMs();
      },
    };
    keepAlive.add(stream);
    for (let second = 1; second <= 40; second++) {
      clock.pass(1_000);
      // Something of the answer goes out in the twentieth second.
      if (second === 20) stream.lastSentMs = clock.elapsedMs();
      keepAlive.runOnce();
    }
    expect(sent).toEqual([SILENCE_MS, 35_000]);
    keepAlive.remove(stream);
    clock.pass(60_000);
    keepAlive.runOnce();
    expect(sent).toHaveLength(2);
  });

  test('gets the comment before the first token, and an error after it as the last event', async () => {
    const clock = handClock();
    const keepAlive = new KeepAliveTimer(clock);
    let reply: HttpCallReply | null = null;
    let exchange: Exchange | null = null;
    const { server, url } = await startEdge((request, response) => {
      exchange = new Exchange(request, response, {
        id: 'req_1',
        startedAt: 0,
        startedMs: 0,
        queue: new FairQueue(),
      });
      reply = new HttpCallReply(exchange, { streams: true, keepAlive, clock });
      reply.onFail((problem) => writeChatFailure(problem, 'req_1'));
      clock.pass(SILENCE_MS);
      keepAlive.runOnce();
    });
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(reply).not.toBeNull();
    (exchange as unknown as Exchange).fail(new Problem('upstream_timeout'));
    const text = await response.text();
    expect(text).toMatch(/^: keep-alive\n\ndata: \{"type":"upstream_timeout".*"error_ref":"req_1".*\}\n\n$/);
    server.stop();
  });
});

function handClock(): Clock & { pass(ms: number): void } {
  let nowMs = 0;
  return {
    ...systemClock,
    now: () => nowMs,
    elapsedMs: () => nowMs,
    pass: (ms) => {
      nowMs += ms;
    },
  };
}

interface Ask {
  readonly model: string;
  readonly stream: boolean;
  readonly content: string;
}

/** Node's own client, because it can leave and can stop reading. */
function send({ model, stream, content }: Ask): ReturnType<typeof httpRequest> {
  const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' };
  const sent = httpRequest(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, agent: false });
  sent.end(JSON.stringify({ model, stream, messages: [{ role: 'user', content }] }));
  return sent;
}

async function ask(call: Ask): Promise<IncomingMessage> {
  const [answer] = (await once(send(call), 'response')) as [IncomingMessage];
  answer.on('error', () => undefined);
  return answer;
}

async function onlyRow(id: string): Promise<CallRow> {
  const rows = await vi.waitFor(async () => {
    const found = await gateway.query<CallRow>(sql`select * from calls where id = ${id}`);
    expect(found).not.toEqual([]);
    return found;
  }, PATIENCE);
  expect(rows).toHaveLength(1);
  return rows[0] as CallRow;
}

interface Flood {
  readonly url: string;
  readonly written: number;
  nextWrite(): Promise<unknown>;
  nextClose(): Promise<unknown>;
  stop(): Promise<void>;
}

/** A provider that sends as fast as it is read, and counts. */
async function startFlood(): Promise<Flood> {
  const frame = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(8_000) } }] })}\n\n`;
  let written = 0;
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const write = (): void => {
      do written += frame.length;
      while (response.write(frame));
      server.emit('wrote');
    };
    response.on('drain', write);
    response.on('close', () => server.emit('left'));
    write();
  });
  const url = await listen(server);
  return {
    url: `${url}/v1`,
    get written() {
      return written;
    },
    nextWrite: () => once(server, 'wrote'),
    nextClose: () => once(server, 'left'),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
