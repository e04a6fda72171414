/** Shared by tests of batches: uploads a file, submits it, and waits for a state. */
import { expect, vi } from 'vitest';
import type { BatchObject } from '../../src/contract/batches.ts';
import type { TestGateway } from './gateway.ts';
import { BACKGROUND_PATIENCE } from './patience.ts';

export const CHAT = '/v1/chat/completions';

export function chatLine(customId: string, content: string, more: Record<string, unknown> = {}): string {
  const messages = [{ role: 'user', content }];
  const body = { model: 'sim-chat', service_tier: 'default', messages, ...more };
  return JSON.stringify({ custom_id: customId, method: 'POST', url: CHAT, body });
}

export class BatchStage {
  readonly #gateway: { readonly url: string };
  readonly #key: string;

  constructor(gateway: Pick<TestGateway, 'url' | 'key'>, key: string = gateway.key) {
    this.#gateway = gateway;
    this.#key = key;
  }

  /** The id of an uploaded file with these lines. */
  async upload(lines: readonly string[], headers: Record<string, string> = {}): Promise<string> {
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', new Blob([lines.join('\n')]), 'input.jsonl');
    const reply = await this.ask('/v1/files', { method: 'POST', body: form, headers });
    const body = (await reply.json()) as { id: string };
    expect(reply.status, JSON.stringify(body)).toBe(200);
    return body.id;
  }

  submit(body: Record<string, unknown>, headers: Record<string, string> = {}): Promise<Response> {
    return this.ask('/v1/batches', {
      method: 'POST',
      body: JSON.stringify({ endpoint: CHAT, completion_window: '24h', ...body }),
      headers: { 'content-type': 'application/json', ...headers },
    });
  }

  async submitted(lines: readonly string[], more: Record<string, unknown> = {}): Promise<BatchObject> {
    const reply = await this.submit({ input_file_id: await this.upload(lines), ...more });
    const body = await reply.json();
    expect(reply.status, JSON.stringify(body)).toBe(200);
    return body as BatchObject;
  }

  async get(id: string): Promise<BatchObject> {
    const reply = await this.ask(`/v1/batches/${id}`);
    expect(reply.status).toBe(200);
    return (await reply.json()) as BatchObject;
  }

  cancel(id: string): Promise<Response> {
    return this.ask(`/v1/batches/${id}/cancel`, { method: 'POST' });
  }

  /** Waits until `is` is true for the batch. */
  async until(id: string, is: (batch: BatchObject) => boolean): Promise<BatchObject> {
    return await vi.waitFor(async () => {
      const batch = await this.get(id);
      expect(is(batch), JSON.stringify(batch)).toBe(true);
      return batch;
    }, BACKGROUND_PATIENCE);
  }

  settled(id: string): Promise<BatchObject> {
    return this.until(id, ({ settlement_status }) => settlement_status === 'settled');
  }

  /** The lines of a file, by their custom ids. */
  async lines(fileId: string | null): Promise<Map<string, ResultLine>> {
    if (fileId === null) return new Map();
    const reply = await this.ask(`/v1/files/${fileId}/content`);
    expect(reply.status).toBe(200);
    const lines = (await reply.text()).split('\n').filter((line) => line !== '');
    const parsed = lines.map((line) => JSON.parse(line) as ResultLine);
    expect(new Set(parsed.map((line) => line.custom_id)).size).toBe(lines.length);
    return new Map(parsed.map((line) => [line.custom_id, line]));
  }

  ask(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.#gateway.url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${this.#key}`, ...(init.headers as Record<string, string>) },
    });
  }
}

export interface ResultLine {
  readonly custom_id: string;
  readonly response: {
    readonly status_code: number;
    readonly request_id: string;
    readonly body: {
      readonly error?: { readonly code: string; readonly param: string | null };
      readonly choices?: Array<{ message: { content: string } }>;
      readonly estimated_cost?: { readonly amount: string } | null;
    };
  } | null;
  readonly error: { readonly code: string } | null;
}
