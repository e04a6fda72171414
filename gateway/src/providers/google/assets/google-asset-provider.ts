/** Registers managed references with Google's Files API. Does I/O. */

import { type Json, objectOf, parseObject, textOf } from '../../../json/read-json.ts';
import { HOUR_MS } from '../../../kernel/durations.ts';
import { Problem } from '../../../kernel/problem.ts';
import { type Clock, pause } from '../../../kernel/time.ts';
import { type TransferBody, TransferClient } from '../../../net/transfer.ts';
import type { AssetProvider, AssetToRegister } from '../../asset-provider.ts';
import type { ProviderTools } from '../../provider.ts';

export interface GoogleAssetsOptions {
  /** Ends with the API version. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  problem(status: number, body: Buffer): Problem;
}

const ANSWER_BYTES_MAX = 1024 * 1024;
/** Videos are processed before they can be used. */
const LOOK_MS = 1_000;
const LOOKS_MAX = 300;

export class GoogleAssetProvider implements AssetProvider {
  /** Google keeps files for 48 hours. */
  readonly keptMs = 47 * HOUR_MS;
  readonly #options: GoogleAssetsOptions;
  readonly #tools: ProviderTools;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  readonly #origin: string;
  readonly #version: string;

  constructor(options: GoogleAssetsOptions, tools: ProviderTools) {
    this.#options = options;
    this.#tools = tools;
    this.#clock = tools.clock;
    const { origin, pathname } = new URL(options.baseUrl);
    this.#origin = origin;
    this.#version = pathname.replace(/\/$/, '');
  }

  close(): void {
    this.#closing.abort();
  }

  async register({ referenceId, media }: AssetToRegister, signal: AbortSignal): Promise<string> {
    const ending = AbortSignal.any([signal, this.#closing.signal]);
    const place = await this.#begin({ referenceId, media }, ending);
    const { json } = await this.#ask(place, {
      headers: {
        // The upload URL authenticates by itself, so another host does not get the key.
        ...(place.origin === this.#origin && this.#options.headers),
        'content-type': media.mimeType,
        'x-goog-upload-offset': '0',
        'x-goog-upload-command': 'upload, finalize',
      },
      body: { length: media.bytes, pieces: () => media.pieces() },
      signal: ending,
    });
    return await this.#whenReady(objectOf(json?.file), ending);
  }

  /** Returns the URL for the upload. */
  async #begin({ referenceId, media }: AssetToRegister, signal: AbortSignal): Promise<URL> {
    const bytes = Buffer.from(JSON.stringify({ file: { display_name: referenceId } }));
    const { headers } = await this.#ask(new URL(`${this.#origin}/upload${this.#version}/files`), {
      headers: {
        ...this.#options.headers,
        'content-type': 'application/json',
        'x-goog-upload-protocol': 'resumable',
        'x-goog-upload-command': 'start',
        'x-goog-upload-header-content-length': String(media.bytes),
        'x-goog-upload-header-content-type': media.mimeType,
      },
      body: { length: bytes.length, pieces: () => [bytes] },
      signal,
    });
    const place = headers['x-goog-upload-url'] ?? '';
    if (!URL.canParse(place)) throw new Error('the provider returned no upload URL');
    return new URL(place);
  }

  async #whenReady(given: Json, signal: AbortSignal): Promise<string> {
    let file = given;
    for (let looks = 0; looks < LOOKS_MAX; looks++) {
      const [uri, state] = [textOf(file.uri), textOf(file.state)];
      if (uri !== '' && (state === 'ACTIVE' || state === '')) return uri;
      if (state !== 'PROCESSING') break;
      await pause(this.#clock, LOOK_MS, signal);
      signal.throwIfAborted();
      const { headers } = this.#options;
      const name = textOf(file.name);
      const { json } = await this.#ask(new URL(`${this.#origin}${this.#version}/${name}`), {
        headers,
        signal,
      });
      file = objectOf(json);
    }
    throw new Problem('upstream_error', { detail: 'The provider could not process a file.' });
  }

  /** The upload host may differ from the API host. */
  async #ask(
    { origin, pathname, search }: URL,
    request: { headers: Readonly<Record<string, string>>; body?: TransferBody; signal: AbortSignal },
  ): Promise<{ json: Json | null; headers: Readonly<Record<string, string>> }> {
    const client = new TransferClient({ baseUrl: origin, ...this.#tools });
    const method = request.body === undefined ? 'GET' : 'POST';
    const asked = { ...request, method, path: `${pathname}${search}` } as const;
    const { status, headers, body } = await client.ask(asked, ANSWER_BYTES_MAX);
    if (status !== 200) throw this.#options.problem(status, body);
    return { json: parseObject(body.toString('utf8')), headers };
  }
}
