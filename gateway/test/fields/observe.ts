/** Sends a call with and without a field, and tells what of it reached the provider. */
import { type Format, paths } from '../matrix/ask.ts';
import type { TestGateway } from '../support/gateway.ts';
import { differenceOf } from './difference.ts';
import { type FieldCase, type Json, requestsOf } from './field-case.ts';
import type { Place } from './places.ts';
import type { RecordingProvider } from './recording-provider.ts';

export class Observer {
  readonly #gateway: TestGateway;
  readonly #provider: RecordingProvider;
  /** Many fields are added to the same request. */
  readonly #bare = new Map<string, unknown>();

  constructor(gateway: TestGateway, provider: RecordingProvider) {
    this.#gateway = gateway;
    this.#provider = provider;
  }

  /** The difference that the field makes to what the provider gets, or `rejected: …` with the field that the error names. */
  async observe(format: Format, field: FieldCase, place: Place): Promise<unknown> {
    const { bare, full } = requestsOf(format, field, place);
    const key = `${format} ${JSON.stringify(bare)}`;
    const before = this.#bare.get(key) ?? (await this.#send(format, bare));
    if (typeof before === 'string') return before;
    this.#bare.set(key, before);
    const after = await this.#send(format, full);
    return typeof after === 'string' ? after : differenceOf(before, after);
  }

  /** The body that the provider got, or how the gateway rejected the call. */
  async #send(format: Format, body: Json): Promise<unknown> {
    const headers: Record<string, string> =
      format === 'messages' ? { 'anthropic-version': '2023-06-01' } : {};
    const response = await this.#gateway.post(paths[format], body, headers);
    const text = await response.text();
    const [sent, ...more] = this.#provider.take();
    if (more.length > 0) throw new Error('the provider was asked more than once');
    // The provider does not stream; what it was sent is all that matters.
    if (sent !== undefined && (response.status === 200 || body.stream === true)) return sent;
    if (sent !== undefined || response.status !== 400) throw new Error(`${response.status}: ${text}`);
    const { error } = JSON.parse(text) as { error: { param?: string | null } };
    return `rejected: ${error.param}`;
  }
}
