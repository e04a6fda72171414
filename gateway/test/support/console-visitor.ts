/** Somebody in front of the console: sends what a browser or a program would. */
import type { ConsoleSession } from '../../src/contract/console.ts';

type Headers = Readonly<Record<string, string>>;

const SESSION = '/api/console/session';

export interface Visit {
  readonly status: number;
  readonly headers: globalThis.Headers;
  // biome-ignore lint/suspicious/noExplicitAny: what is in it is what the tests look at
  readonly body: any;
}

export class ConsoleVisitor {
  readonly url: string;
  /** Where they seem to come from, to a server that trusts its proxy. */
  readonly address: string;

  constructor(url: string, address: string) {
    this.url = url;
    this.address = address;
  }

  async send(
    method: string,
    path: string,
    options: { body?: unknown; headers?: Headers } = {},
  ): Promise<Visit> {
    const { body } = options;
    const reply = await fetch(this.url + path, {
      method,
      headers: {
        'x-forwarded-for': this.address,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: reply.status, headers: reply.headers, body: await reply.json() };
  }

  signIn(email: string, password: string, headers: Headers = {}): Promise<Visit> {
    return this.send('POST', SESSION, { body: { email, password }, headers });
  }

  useLink(code: string, headers: Headers = {}): Promise<Visit> {
    return this.send('POST', `${SESSION}/link`, { body: { code }, headers });
  }

  /** Signs in and answers the headers that a browser would send from then on. */
  async enter(email: string, password: string): Promise<{ cookie: string; csrf: string; token: string }> {
    const { status, headers, body } = await this.signIn(email, password);
    if (status !== 200) throw new Error(`${status}: ${(body as { detail: string }).detail}`);
    const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';');
    return { cookie, csrf: (body as ConsoleSession).csrf, token: cookie.slice(cookie.indexOf('=') + 1) };
  }

  look(headers: Headers): Promise<Visit> {
    return this.send('GET', SESSION, { headers });
  }

  signOut(headers: Headers): Promise<Visit> {
    return this.send('DELETE', SESSION, { headers });
  }
}
