import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { MIB } from '../../src/kernel/bytes.ts';
import { contentIn } from './call-simulator.ts';
import { failure, play, rawAnswer, type Symptom, simulator, TEXT, wholeContent } from './fault-stage.ts';

export const bodySymptoms = {
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
  reset: [
    'resets the connection before any byte',
    async () => expect(await failure(play('reset', true))).toBe('ECONNRESET'),
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
        const announced = Number(/content-length: (\d+)/i.exec(head)?.[1]);
        expect(announced).toBe(Math.floor(Buffer.byteLength(body) / 2));
      }
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
      const { text } = await play('huge-line', true, { headers: { 'x-sim-bytes': String(3 * MIB) } });
      expect(Math.max(...text.split('\n').map((line) => line.length))).toBe(3 * MIB + 'data: '.length);
      expect(text).toContain('[DONE]');
    },
  ],
  'huge-body': [
    'has a body of any size that is JSON and does not tell its length',
    async () => {
      const heard = await play('huge-body', false, { headers: { 'x-sim-bytes': String(3 * MIB) } });
      expect(heard.headers).not.toHaveProperty('content-length');
      expect(heard.text.length).toBeGreaterThan(3 * MIB);
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
      const headers = { 'x-sim-bytes': String(8 * MIB) };
      const heard = await play('gzip-bomb', false, { headers, onPiece: (piece) => pieces.push(piece) });
      expect(heard.headers['content-encoding']).toBe('gzip');
      const packed = Buffer.concat(pieces);
      expect(packed.length).toBeLessThan(MIB / 64);
      expect(gunzipSync(packed)).toHaveLength(8 * MIB);
    },
  ],
} as const satisfies Record<string, Symptom>;
