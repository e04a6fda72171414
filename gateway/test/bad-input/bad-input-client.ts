/** Sends requests that no well-behaved client sends, and checks what every refusal must carry. */
import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import { Shape } from '../../src/contract/check-shape.ts';
import { ErrorBody } from '../../src/contract/error-body.ts';

const errorShape = new Shape(ErrorBody);

export interface Refusal {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: ErrorBody;
}

export interface Expected {
  readonly status: number;
  readonly type: string;
  readonly detail: RegExp;
  readonly param?: string | null;
}

/** One answer as it came over the socket. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

export interface RawExchange {
  /** Everything that was received. */
  readonly received: string;
  readonly answer: RawAnswer;
}

/** Writes the bytes and resolves once the other side has closed the connection. */
export function sendRaw(url: string, bytes: string | Buffer): Promise<RawExchange> {
  return new Promise((resolve, reject) => {
    const socket = openSocket(url);
    const pieces: Buffer[] = [];
    socket.on('data', (piece: Buffer) => pieces.push(piece));
    socket.on('error', reject);
    socket.on('close', () => {
      const received = Buffer.concat(pieces).toString('utf8');
      resolve({ received, answer: readAnswer(received) });
    });
    socket.write(bytes);
  });
}

export function openSocket(url: string): Socket {
  const { hostname, port } = new URL(url);
  return connect(Number(port), hostname);
}

export function readAnswer(received: string): RawAnswer {
  const [head = '', ...rest] = received.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const headers = new Map(
    fields.map((field): [string, string] => {
      const colon = field.indexOf(':');
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(line.split(' ')[1]), headers, text: rest.join('\r\n\r\n') };
}

/** The head of a well-formed chat request; give what should differ. */
export function chatHead(key: string, lines: readonly string[]): string {
  return ['POST /v1/chat/completions HTTP/1.1', 'host: test', `authorization: Bearer ${key}`, ...lines].join(
    '\r\n',
  );
}

export async function refusalOf(response: Response): Promise<Refusal> {
  const headers = new Map(response.headers);
  return { status: response.status, headers, body: JSON.parse(await response.text()) as ErrorBody };
}

export function rawRefusal(answer: RawAnswer): Refusal {
  return { ...answer, body: JSON.parse(answer.text) as ErrorBody };
}

/** What holds for every refusal, whatever was wrong. */
export function expectRefusal(refusal: Refusal, expected: Expected): void {
  const { status, headers, body } = refusal;
  expect({ status, type: body.type }).toEqual({ status: expected.status, type: expected.type });
  expect(errorShape.error(body)).toBeNull();
  expect(body.detail).toMatch(expected.detail);
  if (expected.param !== undefined) expect(body.error.param).toBe(expected.param);
  const { type, detail, error_ref } = body;
  expect(body.error).toEqual({
    message: detail,
    type,
    code: type,
    param: body.error.param,
    detail,
    error_ref,
  });
  expect(error_ref).toMatch(/^req_[0-9a-z]{26}$/);
  expect(headers.get('x-request-id')).toBe(error_ref);
  expect(headers.get('request-id')).toBe(error_ref);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('content-type')).toBe('application/json');
}
