/** HTTP requests to a provider for batches, videos and files, with a capped answer. */

import { type Json, parseObject } from '../json/read-json.ts';
import type { Problem } from '../kernel/problem.ts';
import { type TransferBody, TransferClient, type TransferReply } from '../net/transfer.ts';
import type { ProviderTools } from './provider.ts';
import type { ProviderMask } from './provider-mask.ts';

export interface ProviderCallsOptions {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Masks the provider's error messages. */
  readonly mask: ProviderMask;
  problem(status: number, body: Buffer): Problem;
}

interface Extra {
  readonly body?: TransferBody;
  readonly headers?: Readonly<Record<string, string>>;
  /** Error statuses that this request treats as success. */
  readonly fine?: readonly number[];
}

/** Limit for one object or one page of a list. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
const NOTHING: TransferBody = { length: 0, pieces: () => [] };

export class ProviderCalls {
  readonly #options: ProviderCallsOptions;
  readonly #client: TransferClient;
  readonly mask: ProviderMask;

  constructor(options: ProviderCallsOptions, tools: ProviderTools) {
    this.#options = options;
    this.mask = options.mask;
    this.#client = new TransferClient({ baseUrl: options.baseUrl, ...tools });
  }

  /** Maps an error answer to a Problem for the caller. */
  problem(status: number, body: Buffer): Problem {
    return this.#options.problem(status, body);
  }

  async get(path: string, signal: AbortSignal, extra: Extra = {}): Promise<Answer> {
    return await this.#ask('GET', path, signal, extra);
  }

  async post(path: string, signal: AbortSignal, extra: Extra = {}): Promise<Answer> {
    return await this.#ask('POST', path, signal, { body: NOTHING, ...extra });
  }

  /** Succeeds if it is already deleted. */
  async delete(path: string, signal: AbortSignal): Promise<void> {
    await this.#ask('DELETE', path, signal, { fine: [404] });
  }

  /** Opens an answer of any length. */
  async open(path: string, signal: AbortSignal): Promise<TransferReply> {
    return await this.#client.send({ method: 'GET', path, headers: this.#options.headers, signal });
  }

  close(): void {
    this.#client.close();
  }

  async #ask(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    signal: AbortSignal,
    { body, headers, fine = [] }: Extra,
  ): Promise<Answer> {
    const request = { method, path, headers: { ...this.#options.headers, ...headers }, signal };
    const reply = await this.#client.ask(
      { ...request, ...(body !== undefined && { body }) },
      ANSWER_BYTES_MAX,
    );
    const { status } = reply;
    if ((status < 200 || status >= 300) && !fine.includes(status)) {
      throw this.#options.problem(status, reply.body);
    }
    return { status, json: parseObject(reply.body.toString('utf8')) };
  }
}

export interface Answer {
  readonly status: number;
  /** Null when it is not a JSON object. */
  readonly json: Json | null;
}

export function jsonBody(value: object): { body: TransferBody; headers: Record<string, string> } {
  const bytes = Buffer.from(JSON.stringify(value));
  return {
    body: { length: bytes.length, pieces: () => [bytes] },
    headers: { 'content-type': 'application/json' },
  };
}
