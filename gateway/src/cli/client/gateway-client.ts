/** Calls the gateway as its users do: over HTTP, with a key. */
import { type Flags, SettingsError } from '../../app/settings.ts';
import { option } from '../command.ts';
import { runningServer } from '../running-server.ts';
import { DEFAULT_URL, readUrl } from './read-url.ts';

/** Taken by every command that calls a gateway. */
export const url = option(
  '<url>',
  'the gateway (TOLLGATE_URL; default: the one that runs on this data folder)',
);

export const KEY_NOTE = 'The environment variable TOLLGATE_KEY must hold a gateway key (sk_…).';

export class GatewayClient {
  readonly #url: string;
  readonly #key: string;

  private constructor(url: string, key: string) {
    this.#url = url.replace(/\/(v1\/?)?$/, '');
    this.#key = key;
  }

  static async open(address: string | undefined, flags: Flags): Promise<GatewayClient> {
    const key = process.env.TOLLGATE_KEY;
    if (key === undefined || key === '') {
      throw new SettingsError(
        'Set TOLLGATE_KEY to a gateway key (sk_…). Create one with "tollgate keys create NAME".',
      );
    }
    const named = address ?? process.env.TOLLGATE_URL;
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
      throw new SettingsError(
        `${this.#url} cannot be reached. Is the gateway running? Set its address with --url.`,
      );
    }
    if (response.ok) return response;
    const body = (await response.json().catch(() => null)) as ErrorAnswer | null;
    const rows = (body?.error?.rows ?? []).map(({ row, reason }) => `\n  row ${row}: ${reason}`).join('');
    throw new SettingsError(
      `${detailOf(body) ?? `${response.status} ${response.statusText}`}${rows}` +
        (body?.error_ref ? ` (${body.type ?? 'validation_error'}, ${body.error_ref})` : ''),
    );
  }
}

interface ErrorAnswer {
  readonly type?: string;
  /** A list for a query or a form: everything that is wrong. */
  readonly detail?: string | ReadonlyArray<{ msg: string }>;
  readonly error_ref?: string;
  readonly error?: { readonly rows?: ReadonlyArray<{ row: number; reason: string }> };
}

function detailOf(body: ErrorAnswer | null): string | undefined {
  const detail = body?.detail;
  return typeof detail === 'object' ? detail.map(({ msg }) => msg).join(' ') : detail;
}

/** Of the server that runs on the data folder, if one does. */
export async function localUrl(flags: Flags): Promise<string> {
  return (await runningServer(flags).catch(() => null))?.baseUrl ?? DEFAULT_URL;
}
