/** A provider with limits: what it answers, by key and model, and when, is up to the test. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LimitedRequest {
  readonly key: string;
  readonly model: string;
  readonly text: string;
}

export interface LimitedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** The chunks of a stream, without [DONE]. */
  readonly chunks?: readonly object[];
}

export class LimitedProvider {
  readonly requests: LimitedRequest[] = [];
  /** Null or nothing: a good answer. It may wait. */
  answer: (request: LimitedRequest) => LimitedAnswer | null | Promise<LimitedAnswer | null> = () => null;
  readonly #server = createServer((request, response) => this.#receive(request, response));

  static async start(): Promise<LimitedProvider> {
    const provider = new LimitedProvider();
    await new Promise<void>((resolve) => provider.#server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** The keys of the requests since the last call of this. */
  takeKeys(): string[] {
    return this.requests.splice(0).map(({ key }) => key);
  }

  takeModels(): string[] {
    return this.requests.splice(0).map(({ model }) => model);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    let text = '';
    request.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
    });
    request.on('end', () => {
      const { model } = JSON.parse(text) as { model: string };
      const key = (request.headers.authorization ?? '').replace('Bearer ', '');
      const seen = { key, model, text };
      this.requests.push(seen);
      void Promise.resolve(this.answer(seen)).then((answer) => {
        const { status = 200, headers = {}, body, chunks } = answer ?? {};
        if (chunks !== undefined) {
          response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
          const events = chunks.map((chunk) => `data: ${JSON.stringify({ model, ...chunk })}\n\n`);
          response.end(`${events.join('')}data: [DONE]\n\n`);
          return;
        }
        const said = body ?? (status === 200 ? completion(model) : { error: { message: 'no', code: null } });
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(JSON.stringify(said));
      });
    });
  }
}

function completion(model: string): object {
  const message = { role: 'assistant', content: 'Yes.' };
  return {
    ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model },
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}
