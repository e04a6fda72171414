import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Asking,
  ask,
  chunksIn,
  contentIn,
  framesIn,
  type Heard,
  userPrompt,
  type Wire,
} from './call-simulator.ts';
import { type FaultName, faultNames } from './faults.ts';
import { type Simulator, startSimulator } from './simulator.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());

const TEXT = 'The quick brown 여우 jumps over the lazy 강아지 🙂.';
const MEBIBYTE = 1024 * 1024;

function play(fault: FaultName, stream: boolean, asking: Asking = {}): Promise<Heard> {
  const more = stream ? { stream: true, stream_options: { include_usage: true } } : {};
  const model = `sim-fault-${fault}`;
  return ask(simulator.url, userPrompt(`Reply with exactly: ${TEXT}`, { model, ...more }), asking);
}

async function failure(heard: Promise<Heard>): Promise<string | undefined> {
  return heard.then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code,
  );
}

function usages(text: string): Wire[] {
  return chunksIn(text).flatMap((chunk) => (chunk.usage ? [chunk.usage] : []));
}

function finishes(text: string): unknown[] {
  return chunksIn(text).flatMap((chunk) => chunk.choices.flatMap((choice) => choice.finish_reason ?? []));
}

function wholeContent(text: string): unknown {
  return (JSON.parse(text) as { choices: [{ message: Wire }] }).choices[0].message.content;
}

async function expectRefusal(status: number, type: string): Promise<Heard> {
  for (const stream of [false, true]) {
    const heard = await play(`error-${status}` as FaultName, stream);
    expect(heard.status).toBe(status);
    expect(JSON.parse(heard.text)).toMatchObject({ error: { message: expect.any(String), type } });
  }
  return play(`error-${status}` as FaultName, false);
}

/** Every byte of an answer, for what no client lets through. */
function rawAnswer(fault: FaultName, stream: boolean): Promise<string> {
  const body = JSON.stringify(
    userPrompt('Reply with exactly: hello', { model: `sim-fault-${fault}`, stream }),
  );
  const socket = connect(Number(new URL(simulator.url).port), '127.0.0.1');
  socket.end(
    'POST /v1/chat/completions HTTP/1.1\r\nhost: simulator\r\nconnection: close\r\n' +
      `content-length: ${body.length}\r\n\r\n${body}`,
  );
  return text(socket);
}

/** The symptom of every fault. The table is complete by its type. */
const symptoms: Record<FaultName, [string, () => Promise<void>]> = {
  'error-400': ['answers 400', async () => void (await expectRefusal(400, 'invalid_request_error'))],
  'error-401': ['answers 401', async () => void (await expectRefusal(401, 'invalid_request_error'))],
  'error-403': ['answers 403', async () => void (await expectRefusal(403, 'request_forbidden'))],
  'error-404': ['answers 404', async () => void (await expectRefusal(404, 'invalid_request_error'))],
  'error-408': ['answers 408', async () => void (await expectRefusal(408, 'timeout'))],
  'error-409': ['answers 409', async () => void (await expectRefusal(409, 'conflict'))],
  'error-413': ['answers 413', async () => void (await expectRefusal(413, 'invalid_request_error'))],
  'error-422': ['answers 422', async () => void (await expectRefusal(422, 'invalid_request_error'))],
  'error-429': [
    'answers 429 and when to come back',
    async () => expect((await expectRefusal(429, 'tokens')).headers['retry-after']).toBe('1'),
  ],
  'error-500': ['answers 500', async () => void (await expectRefusal(500, 'server_error'))],
  'error-502': [
    'answers 502 with the page of a proxy',
    async () =>
      expect(await play('error-502', true)).toMatchObject({
        status: 502,
        headers: { 'content-type': 'text/html' },
      }),
  ],
  'error-503': ['answers 503', async () => void (await expectRefusal(503, 'service_unavailable_error'))],
  'error-529': ['answers 529', async () => void (await expectRefusal(529, 'overloaded_error'))],
  'error-once': [
    'answers 500 to the first call of a prompt and well to the next',
    async () => {
      const statuses = [];
      for (const _ of [1, 2, 3]) statuses.push((await play('error-once', false)).status);
      expect(statuses).toEqual([500, 200, 200]);
    },
  ],
  'error-body-200': [
    'answers 200 with an error in the body',
    async () => {
      const heard = await play('error-body-200', true);
      expect(heard.status).toBe(200);
      expect(JSON.parse(heard.text)).toMatchObject({ error: { type: 'server_error' } });
    },
  ],
  'error-in-stream': [
    'breaks the content off with an error frame',
    async () => {
      const { text } = await play('error-in-stream', true);
      expect(JSON.parse(framesIn(text).at(-1) ?? '')).toMatchObject({ error: { type: 'server_error' } });
      expect(framesIn(text).length).toBeGreaterThan(2);
      expect(text).not.toContain('[DONE]');
    },
  ],
  'secret-leak': [
    'answers 400 with the key, a host and an organisation in the message',
    async () => {
      const heard = await play('secret-leak', false, { key: 'sk-very-secret' });
      expect(heard.status).toBe(400);
      expect(heard.text).toMatch(/sk-very-secret.*org-\w+.*api\.openai\.com/);
    },
  ],
  'slow-first-byte': [
    'sends nothing before its delay',
    async () => {
      const from = performance.now();
      const heard = await play('slow-first-byte', true, { headers: { 'x-sim-delay-ms': '40' } });
      expect(performance.now() - from).toBeGreaterThanOrEqual(39);
      expect(contentIn(heard.text)).toBe(TEXT);
    },
  ],
  'slow-stream': [
    'sends frame after frame, or the body in pieces, at its pace',
    async () => {
      for (const stream of [true, false]) {
        let pieces = 0;
        const headers = { 'x-sim-pace-ms': '3', 'x-sim-chunks': '5' };
        const heard = await play('slow-stream', stream, { headers, onPiece: () => pieces++ });
        expect(heard.broken).toBeNull();
        expect(pieces).toBeGreaterThanOrEqual(5);
      }
    },
  ],
  hang: [
    'accepts and never answers',
    async () => {
      const caller = new AbortController();
      const asked = failure(play('hang', false, { signal: caller.signal }));
      const call = await simulator.waitFor((seen) => seen.model === 'sim-fault-hang');
      caller.abort();
      expect(await asked).toBe('ABORT_ERR');
      await simulator.waitFor((seen) => seen === call && seen.aborted);
    },
  ],
  'hang-mid-stream': [
    'sends half and then nothing more',
    async () => {
      for (const stream of [true, false]) {
        const caller = new AbortController();
        const heard = await play('hang-mid-stream', stream, {
          signal: caller.signal,
          onPiece: () => caller.abort(),
        });
        expect(heard.broken).not.toBeNull();
        expect(heard.text).not.toContain('[DONE]');
        expect(() => JSON.parse(heard.text)).toThrow();
        await simulator.waitFor((seen) => seen.id === heard.headers['x-request-id'] && seen.aborted);
      }
    },
  ],
  endless: [
    'goes on until the caller leaves',
    async () => {
      for (const stream of [true, false]) {
        const caller = new AbortController();
        let size = 0;
        const heard = await play('endless', stream, {
          signal: caller.signal,
          headers: { 'x-sim-pace-ms': '0' },
          onPiece: (piece) => {
            size += piece.length;
            if (size > 200_000) caller.abort();
          },
        });
        expect(heard.text.length).toBeGreaterThan(200_000);
        await simulator.waitFor((seen) => seen.id === heard.headers['x-request-id'] && seen.aborted);
      }
    },
  ],
  reset: [
    'resets the connection before any byte',
    async () => expect(await failure(play('reset', true))).toBe('ECONNRESET'),
  ],
  'cut-stream': [
    'breaks the connection between two content frames',
    async () => {
      const heard = await play('cut-stream', true);
      expect(heard.broken).toBe('ECONNRESET');
      expect(TEXT.startsWith(contentIn(heard.text))).toBe(true);
      expect(contentIn(heard.text).length).toBeGreaterThan(10);
      expect(heard.text.endsWith('\n\n')).toBe(true);
      expect(finishes(heard.text)).toEqual([]);
      expect((await play('cut-stream', false)).broken).toBe('ECONNRESET');
    },
  ],
  'cut-frame': [
    'breaks the connection within a frame',
    async () => {
      const heard = await play('cut-frame', true);
      expect(heard.broken).toBe('ECONNRESET');
      expect(heard.text).toMatch(/\n\ndata: \{[^\n]+$/);
    },
  ],
  'cut-body': [
    'promises more than it sends before it hangs up',
    async () => {
      for (const stream of [true, false]) {
        const heard = await play('cut-body', stream);
        expect(heard.broken).toBe('ECONNRESET');
        expect(Number(heard.headers['content-length'])).toBe(Buffer.byteLength(heard.text) + 1_000);
      }
    },
  ],
  'lying-content-length': [
    'promises less than it sends',
    async () => {
      for (const stream of [false, true]) {
        const answer = await rawAnswer('lying-content-length', stream);
        const [head = '', body = ''] = answer.split(/\r\n\r\n([\s\S]*)/);
        const told = Number(/content-length: (\d+)/i.exec(head)?.[1]);
        expect(told).toBe(Math.floor(Buffer.byteLength(body) / 2));
      }
    },
  ],
  'end-without-done': [
    'ends after the content with no finish',
    async () => {
      const { text, broken } = await play('end-without-done', true);
      expect(broken).toBeNull();
      expect(contentIn(text)).toBe(TEXT);
      expect(finishes(text)).toEqual([]);
      expect(text).not.toContain('[DONE]');
    },
  ],
  'finish-without-done': [
    'finishes but leaves out [DONE]',
    async () => {
      const { text } = await play('finish-without-done', true);
      expect(finishes(text)).toEqual(['stop']);
      expect(usages(text)).toHaveLength(1);
      expect(text).not.toContain('[DONE]');
    },
  ],
  'done-first': [
    'begins with [DONE]',
    async () => expect(framesIn((await play('done-first', true)).text)[0]).toBe('[DONE]'),
  ],
  'invalid-sse': [
    'has lines that are no fields and a frame that is not JSON',
    async () => {
      const { text } = await play('invalid-sse', true);
      expect(text).toContain('this is no field\n');
      expect(framesIn(text).filter((data) => data.startsWith('{') && !data.endsWith('}'))).toHaveLength(1);
      expect(text).toContain('[DONE]');
    },
  ],
  crlf: [
    'is a valid answer in the oddest of frames',
    async () => {
      const pieces: Buffer[] = [];
      const { text } = await play('crlf', true, { onPiece: (piece) => pieces.push(piece) });
      expect(contentIn(text)).toBe(TEXT);
      expect(finishes(text)).toEqual(['stop']);
      expect(framesIn(text).at(-1)).toBe('[DONE]');
      expect(text).toMatch(/^: .*\r\nretry: 3000\r\nevent: message\r\ndata: \{\r\ndata:"id"/);
      expect(text.replaceAll('\r\n', '')).not.toContain('\n');
      expect(pieces.some((piece) => piece.toString('utf8').includes('\ufffd'))).toBe(true);
      expect(wholeContent((await play('crlf', false)).text)).toBe(TEXT);
    },
  ],
  'missing-usage': [
    'tells no usage',
    async () => {
      expect(JSON.parse((await play('missing-usage', false)).text)).not.toHaveProperty('usage');
      const { text } = await play('missing-usage', true);
      expect(usages(text)).toEqual([]);
      expect(finishes(text)).toEqual(['stop']);
    },
  ],
  'zero-usage': [
    'tells of no tokens',
    async () => {
      const nothing = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
      expect(JSON.parse((await play('zero-usage', false)).text)).toMatchObject({ usage: nothing });
      expect(usages((await play('zero-usage', true)).text)).toMatchObject([nothing]);
    },
  ],
  'absurd-usage': [
    'tells of negative, broken and boundless counts',
    async () => {
      const absurd = {
        prompt_tokens: -7,
        completion_tokens: 12.75,
        prompt_tokens_details: { cached_tokens: 1e30 },
      };
      expect(JSON.parse((await play('absurd-usage', false)).text)).toMatchObject({ usage: absurd });
      expect(usages((await play('absurd-usage', true)).text)).toMatchObject([absurd]);
    },
  ],
  'double-usage': [
    'tells of half the output midway and of all of it at the end',
    async () => {
      const { text } = await play('double-usage', true);
      const [early, late] = usages(text).map((usage) => usage.completion_tokens as number);
      expect(usages(text)).toHaveLength(2);
      expect(early).toBe(Math.floor((late as number) / 2));
      expect(contentIn(text)).toBe(TEXT);
    },
  ],
  html: [
    'answers 200 with a page',
    async () => {
      const heard = await play('html', true);
      expect(heard).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=UTF-8' } });
      expect(heard.text).toContain('<html>');
    },
  ],
  'not-json': [
    'answers 200 with a body that only claims to be JSON',
    async () => {
      const heard = await play('not-json', false);
      expect(heard.headers['content-type']).toBe('application/json');
      expect(() => JSON.parse(heard.text)).toThrow();
    },
  ],
  'empty-body': [
    'answers 200 with nothing',
    async () => {
      for (const stream of [true, false])
        expect(await play('empty-body', stream)).toMatchObject({ status: 200, text: '' });
    },
  ],
  redirect: [
    'answers 302 with another place',
    async () =>
      expect(await play('redirect', true)).toMatchObject({
        status: 302,
        headers: { location: '/v1/elsewhere' },
      }),
  ],
  'huge-line': [
    'has one line of any size in a whole stream',
    async () => {
      const { text } = await play('huge-line', true, { headers: { 'x-sim-bytes': String(3 * MEBIBYTE) } });
      expect(Math.max(...text.split('\n').map((line) => line.length))).toBe(3 * MEBIBYTE + 'data: '.length);
      expect(text).toContain('[DONE]');
    },
  ],
  'huge-body': [
    'has a body of any size that is JSON and does not tell its length',
    async () => {
      const heard = await play('huge-body', false, { headers: { 'x-sim-bytes': String(3 * MEBIBYTE) } });
      expect(heard.headers).not.toHaveProperty('content-length');
      expect(heard.text.length).toBeGreaterThan(3 * MEBIBYTE);
      expect(wholeContent(heard.text)).toBe(TEXT);
    },
  ],
  'huge-headers': [
    'has a megabyte of headers',
    async () => {
      expect(await failure(play('huge-headers', false))).toBe('HPE_HEADER_OVERFLOW');
      const small = await play('huge-headers', false, { headers: { 'x-sim-bytes': '6400' } });
      expect(small.headers['x-huge-63']).toHaveLength(100);
    },
  ],
  'gzip-bomb': [
    'swells a thousandfold in a coding nobody asked for',
    async () => {
      const pieces: Buffer[] = [];
      const headers = { 'x-sim-bytes': String(8 * MEBIBYTE) };
      const heard = await play('gzip-bomb', false, { headers, onPiece: (piece) => pieces.push(piece) });
      expect(heard.headers['content-encoding']).toBe('gzip');
      const packed = Buffer.concat(pieces);
      expect(packed.length).toBeLessThan(MEBIBYTE / 64);
      expect(gunzipSync(packed)).toHaveLength(8 * MEBIBYTE);
    },
  ],
};

for (const name of faultNames) test(`${name} ${symptoms[name][0]}`, symptoms[name][1]);

test('a fault is called by model, by header and by the prompt', async () => {
  const byHeader = await ask(simulator.url, userPrompt('hi'), { headers: { 'x-sim-fault': 'error-503' } });
  const byPrompt = await ask(simulator.url, userPrompt('[[fault error-503]] hi'));
  expect([byHeader.status, byPrompt.status]).toEqual([503, 503]);
});

test('faults of streams leave whole answers alone', async () => {
  for (const name of [
    'end-without-done',
    'finish-without-done',
    'done-first',
    'invalid-sse',
    'double-usage',
    'error-in-stream',
  ] as const) {
    expect(wholeContent((await play(name, false)).text)).toBe(TEXT);
  }
});

test('a huge answer waits for its reader', async () => {
  const caller = new AbortController();
  const answer = await fetch(`${simulator.url}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify(userPrompt('hi', { model: 'sim-fault-huge-body' })),
    signal: caller.signal,
  });
  const call = simulator.calls.at(-1);
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  expect(call?.finished).toBe(false);
  caller.abort();
  await simulator.waitFor((seen) => seen === call && seen.aborted);
});

test('the readme names every fault', () => {
  const readme = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
  for (const name of faultNames) expect(readme).toContain(`| \`${name}\` |`);
});
