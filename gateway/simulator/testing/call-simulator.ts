/** The client of the simulator's own tests: it takes what comes and judges nothing. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { SseFramer } from '../../src/kernel/framing.ts';

export type Wire = Record<string, unknown>;

export interface Heard {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** Why the answer broke off; null when it came to its end. */
  readonly broken: string | null;
}

export interface Asking {
  readonly headers?: Record<string, string>;
  readonly key?: string;
  readonly signal?: AbortSignal;
  /** Called with every piece of the body. */
  readonly onPiece?: (piece: Buffer) => void;
}

export function userPrompt(text: string, more: Wire = {}): Wire {
  return { model: 'sim-chat', messages: [{ role: 'user', content: text }], ...more };
}

export function ask(url: string, body: Wire | string, asking: Asking = {}): Promise<Heard> {
  return post(`${url}/chat/completions`, body, asking);
}

/** Posts with node's own client, which keeps whatever arrived before a break. */
export function post(url: string, body: Wire | string, asking: Asking = {}): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      ...(asking.key === undefined ? {} : { authorization: `Bearer ${asking.key}` }),
      ...asking.headers,
    };
    const options = {
      method: 'POST',
      headers,
      agent: false as const,
      ...(asking.signal && { signal: asking.signal }),
    };
    let breakOff = (error: NodeJS.ErrnoException): void => reject(error);
    const sent = httpRequest(url, options, (answer) => {
      const pieces: Buffer[] = [];
      const settle = (broken: string | null): void =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          text: Buffer.concat(pieces).toString('utf8'),
          broken,
        });
      breakOff = (error) => settle(String(error.code));
      answer.on('data', (piece: Buffer) => {
        pieces.push(piece);
        asking.onPiece?.(piece);
      });
      answer.on('end', () => settle(null));
      answer.on('error', breakOff);
    });
    sent.on('error', (error) => breakOff(error));
    sent.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
}

export async function askJson(url: string, body: Wire | string, asking: Asking = {}): Promise<Wire> {
  return JSON.parse((await ask(url, body, asking)).text) as Wire;
}

/** The data of each frame of an event stream. */
export function framesIn(text: string): string[] {
  const frames: string[] = [];
  new SseFramer({ charactersMax: 1_000_000, onFrame: (data) => frames.push(data) }).push(text);
  return frames;
}

export interface Chunk {
  readonly id: string;
  readonly object: string;
  readonly model: string;
  readonly choices: ReadonlyArray<{ index: number; delta: Wire; finish_reason: string | null }>;
  readonly usage?: Wire | null;
}

/** The frames but `[DONE]`. */
export function chunksIn(text: string): Chunk[] {
  return framesIn(text)
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data) as Chunk);
}

/** What the deltas of one answer add up to. */
export function contentIn(text: string, index = 0): string {
  return chunksIn(text)
    .flatMap((chunk) => chunk.choices)
    .filter((choice) => choice.index === index)
    .map((choice) => choice.delta.content ?? '')
    .join('');
}
