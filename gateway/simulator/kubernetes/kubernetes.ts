/**
 * A stand-in for the API server of a cluster, as far as logs go: pods listed and watched (bookmarks, 410),
 * and the log request with what makes it hard to follow: times cut to whole seconds, tails counted before
 * that and in the current file only, follows that stall when a file is rotated, connections that are closed.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../src/kernel/time.ts';
import { type PodEvent, StandInCluster, type StandInPod } from './stand-in-cluster.ts';

export interface StandInOptions {
  /** The bearer token that requests need; default: none. */
  readonly token?: string;
  /** Follows stay in a file that was rotated, as some versions do. */
  readonly stalls?: boolean;
}

export interface KubernetesStandIn {
  readonly url: string;
  readonly cluster: StandInCluster;
  /** From now on only this token is accepted. */
  acceptToken(token: string): void;
  /** Log requests answered so far, by their query. */
  readonly logRequests: readonly URLSearchParams[];
  /** Log streams and watches that are open. */
  readonly streams: number;
  /** Closes the open log streams and watches, cleanly or not, or leaves them open and says nothing more. */
  cut(choose: () => Cut): void;
  stop(): Promise<void>;
}

export type Cut = 'leave' | 'end' | 'reset' | 'mute';

const BOOKMARK_MS = 250;

export async function startKubernetes(options: StandInOptions = {}): Promise<KubernetesStandIn> {
  const desk = new Desk(options);
  const server = createServer((request, response) => desk.answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cluster: desk.cluster,
    acceptToken: (token) => desk.acceptToken(token),
    logRequests: desk.logRequests,
    get streams() {
      return desk.streams;
    },
    cut: (choose) => desk.cut(choose),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

class Desk {
  readonly cluster = new StandInCluster();
  readonly logRequests: URLSearchParams[] = [];
  readonly #options: StandInOptions;
  /** By what makes each say nothing more. */
  readonly #streams = new Map<ServerResponse, () => void>();

  #token: string | undefined;

  constructor(options: StandInOptions) {
    this.#options = options;
    this.#token = options.token;
  }

  acceptToken(token: string): void {
    this.#token = token;
  }

  get streams(): number {
    return this.#streams.size;
  }

  cut(choose: () => Cut): void {
    for (const [response, mute] of this.#streams) {
      const how = choose();
      if (how === 'mute') mute();
      if (how === 'end') response.end();
      if (how === 'reset') response.destroy();
    }
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    if (this.#token !== undefined && request.headers.authorization !== `Bearer ${this.#token}`) {
      refuse(response, 401, 'Unauthorized');
      return;
    }
    const url = new URL(request.url ?? '', 'http://cluster');
    const match = /^\/api\/v1(?:\/namespaces\/([^/]+))?\/pods(?:\/([^/]+)(\/log)?)?$/.exec(url.pathname);
    const [, namespace, name, log] = match ?? [];
    if (match === null) refuse(response, 404, 'the server could not find the requested resource');
    else if (name === undefined) this.#pods(url.searchParams, namespace ?? null, response);
    else {
      const pod = this.cluster.pods.get(`${namespace}/${name}`);
      if (pod === undefined) refuse(response, 404, `pods "${name}" not found`);
      else if (log === undefined) sendJson(response, pod.object(this.cluster.version));
      else this.#log(pod, url.searchParams, response);
    }
  }

  #pods(query: URLSearchParams, namespace: string | null, response: ServerResponse): void {
    const [label = '', value = ''] = (query.get('labelSelector') ?? '').split('=');
    const wanted = (pod: { labels: Readonly<Record<string, string>> }): boolean =>
      pod.labels[label] === value;
    if (query.get('watch') === 'true') {
      this.#watch(Number(query.get('resourceVersion')), wanted, response);
      return;
    }
    const items = [...this.cluster.pods.values()]
      .filter((pod) => wanted(pod) && (namespace === null || pod.namespace === namespace))
      .map((pod) => pod.object(this.cluster.version));
    sendJson(response, {
      kind: 'PodList',
      metadata: { resourceVersion: String(this.cluster.version) },
      items,
    });
  }

  #watch(from: number, wanted: (event: PodEvent) => boolean, response: ServerResponse): void {
    const past = this.cluster.since(from);
    response.writeHead(200, { 'content-type': 'application/json' });
    const write = (type: string, object: object): void => {
      if (!response.writableEnded) response.write(`${JSON.stringify({ type, object })}\n`);
    };
    if (past === null) {
      write('ERROR', { kind: 'Status', code: 410, message: `too old resource version: ${from}` });
      response.end();
      return;
    }
    const tell = (event: PodEvent): void => {
      if (wanted(event)) write(event.type, event.object);
    };
    for (const event of past) tell(event);
    response.flushHeaders();
    const stopListening = this.cluster.listen(tell);
    const stopMarks = systemClock.every(BOOKMARK_MS, () =>
      write('BOOKMARK', { kind: 'Pod', metadata: { resourceVersion: String(this.cluster.version) } }),
    );
    this.#keep(response, () => {
      stopListening();
      stopMarks();
    });
  }

  #log(pod: StandInPod, query: URLSearchParams, response: ServerResponse): void {
    this.logRequests.push(query);
    const container = query.get('container') ?? 'app';
    const run = pod.run(container, query.get('previous') === 'true');
    if (run === null) {
      refuse(response, 400, `previous terminated container "${container}" in pod "${pod.name}" not found`);
      return;
    }
    const since = query.get('sinceTime');
    const tail = query.get('tailLines');
    const reader = run.open({
      // Cut to whole seconds on its way.
      sinceTime: since === null ? null : `${since.slice(0, 19)}.000000000Z`,
      tailLines: tail === null ? null : Number(tail),
      timestamps: query.get('timestamps') === 'true',
    });
    response.writeHead(200, { 'content-type': 'text/plain' });
    const stalls = this.#options.stalls ?? false;
    if (query.get('follow') !== 'true') {
      const limit = Number(query.get('limitBytes') ?? Number.POSITIVE_INFINITY);
      response.end(Buffer.from(reader.take(true)).subarray(0, limit));
      return;
    }
    const pass = (): void => {
      if (response.writableEnded) return;
      const text = reader.take(stalls);
      if (text !== '') response.write(text);
      if (reader.over) response.end();
    };
    // As a kubelet does, not even the head of the answer is sent before the first line.
    const stopListening = run.listen(pass);
    this.#keep(response, stopListening);
    pass();
  }

  #keep(response: ServerResponse, done: () => void): void {
    this.#streams.set(response, done);
    const leave = (): void => {
      this.#streams.delete(response);
      done();
    };
    response.on('close', leave);
    response.on('finish', leave);
  }
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ kind: 'Status', status: 'Failure', code: status, message }));
}
