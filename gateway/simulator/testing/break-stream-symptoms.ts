import { expect } from 'vitest';
import { contentIn, framesIn } from './call-simulator.ts';
import { finishes, play, type Symptom, simulator, TEXT, usages, wholeContent } from './fault-stage.ts';

export const streamSymptoms = {
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
  'pause-mid-stream': [
    'sends half, waits for its delay, and sends the rest',
    async () => {
      const from = performance.now();
      const heard = await play('pause-mid-stream', true, { headers: { 'x-sim-delay-ms': '40' } });
      expect(performance.now() - from).toBeGreaterThanOrEqual(39);
      expect(contentIn(heard.text)).toBe(TEXT);
      expect(heard.text).toContain('[DONE]');
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
} as const satisfies Record<string, Symptom>;
