/** Calls the gateway as its users do: over HTTP, with a key. */
import { type Flags, SettingsError } from '../../app/settings.ts';
import type { CommonFlags } from '../command.ts';
import { runningServer } from '../running-server.ts';
import { AnswerError, readAnswerError } from './answer-error.ts';
import { DEFAULT_URL, readUrl } from './read-url.ts';

export const KEY_NOTE = 'The environment variable TOLLGATE_KEY must hold a gateway key (sk_…).';

export class GatewayClient {
  readonly #url: string;
  readonly #key: string;

  private constructor(url: string, key: string) {
    this.#url = url.replace(/\/(v1\/?)?$/, '');
    this.#key = key;
  }

  static async open(flags: CommonFlags): Promise<GatewayClient> {
    const key = process.env.TOLLGATE_KEY;
    if (key === undefined || key === '') {
      throw new SettingsError(
        'Set TOLLGATE_KEY to a gateway key (sk_…). Create one with "tollgate keys create NAME".',
      );
    }
    const named = flags.url ?? process.env.TOLLGATE_URL;
    return new GatewayClient(named === undefined ? await localUrl(flags) : readUrl(named), key);
  }

  async json<Body>(path: string, init: RequestInit = {}): Promise<Body> {
    return (await (await this.ask(path, init)).json()) as Body;
  }

  /** Throws what the gateway says is wrong, unless the status is 2xx. */
  async ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#key}`, ...(init.headers as Record<string, string>) };
    let response: Response;
    try {
      response = await fetch(`${this.#url}${path}`, { ...init, headers });
    } catch {
      throw new AnswerError(
        `${this.#url} cannot be reached. Is the gateway running? Set its address with --url.`,
      );
    }
    if (response.ok) return response;
    const error = await readAnswerError(response, `${response.status} ${response.statusText}`);
    if (error.errorRef !== null) error.message = `${error.message} (${error.code}, ${error.errorRef})`;
    throw error;
  }
}

/** Of the server that runs on the data folder, if one does. */
export async function localUrl(flags: Flags): Promise<string> {
  return (await runningServer(flags).catch(() => null))?.baseUrl ?? DEFAULT_URL;
}
