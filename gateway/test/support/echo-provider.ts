/** A provider of every dialect that repeats whatever a test tells it to, in answer to a prompt `case:NAME;`. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface EchoAnswer {
  readonly status: number;
  /** JSON, or a text as it is. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The frames of a stream that began well. */
  readonly frames?: readonly string[];
}

export interface EchoProvider {
  readonly origin: string;
  readonly answers: Map<string, EchoAnswer>;
  /** What the lines of its batches and its videos fail with. */
  readonly lineErrors: Map<string, object>;
  readonly batchErrors: object[];
  /** The cases that were asked for. */
  readonly asked: Set<string>;
  stop(): Promise<void>;
}

export async function startEchoProvider(): Promise<EchoProvider> {
  const answers = new Map<string, EchoAnswer>();
  const lineErrors = new Map<string, object>();
  const batchErrors: object[] = [];
  const files = new Map<string, string>();
  const asked = new Set<string>();
  let batches = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = Buffer.concat(await request.toArray()).toString('latin1');
    const path = request.url ?? '';
    if (/\/(files|batches)(\/|$|\?)/.test(path)) return send(response, 200, batch(request, text));
    if (path.includes('/video')) return send(response, 200, video(request, text));
    const name = /case:([^;]+);/.exec(text)?.[1] ?? '';
    const chosen = answers.get(name);
    asked.add(name);
    if (chosen === undefined) return send(response, 404, { error: { message: 'no such case' } });
    if (chosen.frames === undefined) return send(response, chosen.status, chosen.body, chosen.headers);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(chosen.frames.join(''));
  };
  const server = createServer((request, response) => void answer(request, response));

  function batch(request: IncomingMessage, text: string): unknown {
    const path = (request.url ?? '').split('?')[0] as string;
    if (request.method === 'POST' && path.endsWith('/files')) {
      files.set('input', text);
      return { id: 'input' };
    }
    if (path.endsWith('/content')) return results(files.get('input') ?? '');
    if (path.includes('/files')) return { deleted: true };
    if (request.method === 'POST') batches++;
    const failed = batchErrors.length > 0;
    const ids = customIds(files.get('input') ?? '');
    return {
      id: `batch-${batches}`,
      status: failed ? 'failed' : 'completed',
      errors: failed ? { data: batchErrors } : null,
      request_counts: { total: ids.length, completed: 0, failed: ids.length },
      error_file_id: failed ? null : 'errors',
      metadata: {},
      created_at: 1,
    };
  }

  function results(input: string): string {
    return customIds(input)
      .map(({ id, name }) => `${JSON.stringify({ custom_id: id, ...lineErrors.get(name) })}\n`)
      .join('');
  }

  function video(request: IncomingMessage, text: string): unknown {
    const path = request.url ?? '';
    const name = /case:([^;]+);/.exec(text)?.[1] ?? /videos?\/([^/?]+)/.exec(path)?.[1] ?? '';
    const error = lineErrors.get(decodeURIComponent(name)) ?? {};
    const created = request.method === 'POST';
    if (path.includes('/generic')) {
      const phase = created ? 'waiting' : 'error';
      return { job: { id: name, phase, ...(!created && { fault: error }) } };
    }
    return { id: name, status: created ? 'queued' : 'failed', ...(!created && { error }) };
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    answers,
    lineErrors,
    batchErrors,
    asked,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function customIds(input: string): Array<{ id: string; name: string }> {
  return input.split('\n').flatMap((line) => {
    const id = /"custom_id":"([^"]+)"/.exec(line)?.[1];
    return id === undefined ? [] : [{ id, name: /case:([^;]+);/.exec(line)?.[1] ?? '' }];
  });
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
