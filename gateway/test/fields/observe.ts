/** Sends a call with and without a field, and tells what of it reached the provider. */
import { type Format, paths } from '../matrix/ask.ts';
import type { TestGateway } from '../support/gateway.ts';
import { type Difference, differenceOf } from './difference.ts';
import type { FieldCase, Json } from './field-case.ts';
import { codeOf, type Place } from './places.ts';
import type { RecordingProvider } from './recording-provider.ts';

export type Observed =
  | { readonly rejected: string | null; readonly detail: string }
  | { readonly sent: Difference; readonly bare: unknown };

const prompts: Readonly<Record<Format, Json>> = {
  chat: { messages: [{ role: 'user', content: 'Hello' }] },
  responses: { input: [{ role: 'user', content: 'Hello' }], store: false },
  messages: { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 4_000 },
};

export class Observer {
  readonly #gateway: TestGateway;
  readonly #provider: RecordingProvider;
  /** Many fields are added to the same request. */
  readonly #bare = new Map<string, unknown>();

  constructor(gateway: TestGateway, provider: RecordingProvider) {
    this.#gateway = gateway;
    this.#provider = provider;
  }

  async observe(format: Format, { beside = {}, said }: FieldCase, place: Place): Promise<Observed> {
    const without = { model: codeOf(place), ...prompts[format], ...beside };
    const key = `${format} ${JSON.stringify(without)}`;
    const bare = this.#bare.get(key) ?? (await this.#sent(format, without));
    if (isRejected(bare)) throw new Error(`${place.name} rejects the call without the field: ${bare.detail}`);
    this.#bare.set(key, bare);
    const sent = await this.#sent(format, { ...without, ...said });
    return isRejected(sent) ? sent : { sent: differenceOf(bare, sent), bare };
  }

  async #sent(format: Format, body: Json): Promise<unknown> {
    const headers: Record<string, string> =
      format === 'messages' ? { 'anthropic-version': '2023-06-01' } : {};
    const response = await this.#gateway.post(paths[format], body, headers);
    const text = await response.text();
    const [sent, ...more] = this.#provider.take();
    if (more.length > 0) throw new Error('the provider was asked more than once');
    if (sent !== undefined) {
      if (response.status !== 200 && body.stream !== true) throw new Error(`${response.status}: ${text}`);
      return sent;
    }
    const { error } = JSON.parse(text) as { error: { param?: string | null; message: string } };
    if (response.status !== 400) throw new Error(`${response.status}: ${text}`);
    return { rejected: error.param ?? null, detail: error.message };
  }
}

export function isRejected(value: unknown): value is Extract<Observed, { rejected: unknown }> {
  return typeof value === 'object' && value !== null && 'rejected' in value;
}
