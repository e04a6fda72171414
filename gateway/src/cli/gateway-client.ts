/** The gateway as its users call it: over HTTP, with a key. For commands that are not administration. */
import { askServer } from '../app/admin-socket.ts';
import type { ServerStatus } from '../app/serve.ts';
import { SettingsError } from '../app/settings.ts';
import { type CommonFlags, dataFolderOf } from './administer.ts';
import { DEFAULT_URL, readUrl } from './read-url.ts';

export interface ClientFlags extends CommonFlags {
  readonly url?: string;
}

export const URL_OPTION = ['--url <url>', 'the gateway (TOLLGATE_URL, or the one running here)'] as const;

export class GatewayClient {
  readonly #url: string;
  readonly #key: string;

  private constructor(url: string, key: string) {
    this.#url = url.replace(/\/(v1\/?)?$/, '');
    this.#key = key;
  }

  static async open(flags: ClientFlags): Promise<GatewayClient> {
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

  /** The answer, when it is a good one; the gateway's own words otherwise. */
  async ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#key}`, ...(init.headers as Record<string, string>) };
    let response: Response;
    try {
      response = await fetch(`${this.#url}${path}`, { ...init, headers });
    } catch {
      throw new SettingsError(
        `${this.#url} cannot be reached. Is the gateway running? Name its address with --url.`,
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
  /** Of a query or a form: everything that is wrong. */
  readonly detail?: string | ReadonlyArray<{ msg: string }>;
  readonly error_ref?: string;
  readonly error?: { readonly rows?: ReadonlyArray<{ row: number; reason: string }> };
}

function detailOf(body: ErrorAnswer | null): string | undefined {
  const detail = body?.detail;
  return typeof detail === 'object' ? detail.map(({ msg }) => msg).join(' ') : detail;
}

/** Of the server that runs on the data folder, if one does. */
async function localUrl(flags: CommonFlags): Promise<string> {
  const dataFolder = dataFolderOf(flags);
  const answered = await askServer(dataFolder, { command: 'status', args: {} }).catch(() => null);
  return (answered?.result as ServerStatus | undefined)?.baseUrl ?? DEFAULT_URL;
}
