/** Calls operations of administration over HTTP, as a program does. */
import { adminRequest } from '../../src/client/admin-request.ts';
import { routeOf } from '../../src/contract/administration/admin-endpoint.ts';
import { adminEndpoints, type OperationName } from '../../src/contract/administration/admin-endpoints.ts';
import type { Input } from './admin-cases.ts';

export interface AdminAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: what is in it is what the tests look at
  readonly body: any;
}

export class AdminClient {
  readonly #url: string;
  readonly #credential: string | null;

  constructor({ url }: { url: string }, credential: string | null) {
    this.#url = url;
    this.#credential = credential;
  }

  /** Runs an operation with its input. */
  async call(
    name: OperationName,
    input: Input,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<AdminAnswer> {
    const { method, path, body } = adminRequest(routeOf(adminEndpoints[name]), input);
    return await this.send(method, path, { body, headers });
  }

  /** The same list as comma-separated values. */
  async csv(name: OperationName, input: Input): Promise<AdminAnswer> {
    const { method, path } = adminRequest(routeOf(adminEndpoints[name]), input);
    return await this.send(method, `${path}${path.includes('?') ? '&' : '?'}format=csv`);
  }

  /** Sends anything. A body that is text is sent as it is. */
  async send(
    method: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Readonly<Record<string, string>> } = {},
  ): Promise<AdminAnswer> {
    const reply = await fetch(`${this.#url}${path}`, {
      method,
      headers: {
        ...(this.#credential !== null && { authorization: `Bearer ${this.#credential}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await reply.text();
    const isJson = reply.headers.get('content-type') === 'application/json';
    return { status: reply.status, headers: reply.headers, body: isJson ? JSON.parse(text) : text };
  }
}
