/**
 * The public listener. Gives each request its id, finds its route, checks its key, and answers every error. It uses
 * node:http directly, because everything here adds to the latency of every call.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import type { Authenticator } from '../access/authenticate.ts';
import type { Principal } from '../access/principal.ts';
import { newId } from '../kernel/ids.ts';
import { asProblem, type Problem } from '../kernel/problem.ts';
import { pause } from '../kernel/time.ts';
import type { ByteBudget } from '../metering/byte-budget.ts';
import type { Refusals } from '../metering/refusals.ts';
import type { Log } from '../telemetry/log.ts';
import type { BodyArrivals } from './body-arrivals.ts';
import { headProblem } from './check-request.ts';
import { Connections } from './connections.ts';
import type { HttpRoute } from './define-route.ts';
import { drainBody } from './drain-body.ts';
import { Exchange } from './exchange.ts';
import { continueWhenRead, neverContinue } from './expect-continue.ts';
import { FairQueue } from './fair-queue.ts';
import { logProblem } from './log-problem.ts';
import { malformedAnswer, malformedProblem } from './malformed-request.ts';
import { beginTrace, type RequestObserver, requestEnded, requestFailed } from './observe-request.ts';
import { Router } from './router.ts';
import { cutIfStalled } from './stalled-caller.ts';
import { type StaticFiles, sendStaticFile } from './static-files.ts';

export interface HttpServerOptions extends RequestObserver {
  readonly routes: readonly HttpRoute[];
  /** The files of the console. */
  readonly files: StaticFiles;
  readonly authenticator: Authenticator;
  readonly log: Log;
  /** Records errors, so that an `error_ref` can be explained later. */
  readonly refusals: Refusals;
  /** Limits how many bytes calls may hold in memory. */
  readonly bytes: ByteBudget;
  readonly arrivals: BodyArrivals;
  /** How long a client may take to send its headers. */
  readonly clientIdleMs: number;
  /** How long a client may take to send its whole request. */
  readonly clientRequestMs: number;
}

const HEADER_BYTES_MAX = 16 * 1024;
/** Longer than the idle timeout of common load balancers, so that they close first. */
const KEEP_ALIVE_MS = 75_000;
const DRAIN_CHECK_MS = 50;
/** How long calls that were cut may take to be settled. */
const CUT_MS_MAX = 3_000;
/** Event-loop turns to wait for one without new connections. */
const QUIET_TURNS_MAX = 100;

export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #router: Router;
  readonly #server: Server;
  readonly #connections: Connections;
  readonly #queue = new FairQueue();
  #inFlight = 0;
  #stopping = false;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#router = new Router(options.routes);
    this.#connections = new Connections(options.clock);
    this.#server = createServer(
      {
        maxHeaderSize: HEADER_BYTES_MAX,
        headersTimeout: options.clientIdleMs,
        requestTimeout: Math.max(options.clientRequestMs, options.clientIdleMs),
        keepAliveTimeout: KEEP_ALIVE_MS,
        connectionsCheckingInterval: 1_000,
        noDelay: true,
        // Checked in check-request.ts, because Node's own error has no body and no id.
        requireHostHeader: false,
      },
      (request, response) => this.#take(request, response),
    );
    this.#server.on('connection', (socket) => this.#connections.add(socket));
    this.#server.on('checkContinue', (request, response) => {
      continueWhenRead(request, response);
      this.#take(request, response);
    });
    // Any other expectation is ignored.
    this.#server.on('checkExpectation', (request, response) => this.#take(request, response));
    this.#server.on('clientError', (error: Error & { code?: string }, socket) =>
      this.#malformed(error, socket as Socket),
    );
  }

  /** Resolves to the port in use; rejects with EADDRINUSE when it is taken. */
  async listen(at: { host: string; port: number }): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(at.port, at.host, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    return (this.#server.address() as AddressInfo).port;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /**
   * Continues as before for `waitMs`, in which load balancers notice that they should use another process, then
   * accepts no more connections.
   */
  async leave(waitMs: number): Promise<void> {
    await pause(this.#options.clock, waitMs);
    this.#stopping = true;
    this.#connections.announceClose();
    // Closing resets connections that are not accepted yet, so wait for a turn without new ones.
    for (let turn = 0; turn < QUIET_TURNS_MAX; turn++) {
      const { accepted } = this.#connections;
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#connections.accepted === accepted) break;
    }
    // The close of HTTP would also close idle connections, on which a request may be arriving.
    NetServer.prototype.close.call(this.#server);
  }

  /**
   * Lets requests finish until `untilMs`, and clients close idle connections, or closes those after `quietMs`. Then
   * cuts the rest.
   */
  async drain({ untilMs, quietMs }: { untilMs: number; quietMs: number }): Promise<void> {
    const { clock } = this.#options;
    const open = (): boolean => this.#inFlight > 0 || this.#connections.size > 0;
    while (open() && clock.elapsedMs() < untilMs) {
      this.#connections.closeIdle(quietMs);
      if (open()) await pause(clock, DRAIN_CHECK_MS);
    }
    this.#server.closeAllConnections();
    // Calls that were cut are charged for what was produced.
    const settledMs = clock.elapsedMs() + CUT_MS_MAX;
    while (this.#inFlight > 0 && clock.elapsedMs() < settledMs) await pause(clock, DRAIN_CHECK_MS);
    // Ends the timers of the HTTP server.
    this.#server.close();
  }

  /** If even the error cannot be sent, only this request ends. */
  #take(request: IncomingMessage, response: ServerResponse): void {
    this.#serve(request, response).catch((error: unknown) => {
      this.#options.log.error('a request could not be answered', { error });
      response.destroy();
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { clock, tracer } = this.#options;
    const startedAt = clock.now();
    const facts = {
      id: newId('req', startedAt),
      startedAt,
      startedMs: clock.elapsedMs(),
      queue: this.#queue,
    };
    const exchange = new Exchange(request, response, facts);
    let endpoint = 'none';
    let principal: Principal | null = null;
    this.#inFlight++;
    // A call is over when its answer has ended and its handler has returned: a caller that disconnected is still charged.
    let parts = 2;
    const over = (): void => {
      if (--parts > 0) return;
      this.#inFlight--;
      exchange.over();
      requestEnded(exchange, endpoint, this.#options);
    };
    response.on('close', over);
    this.#connections.begin(request, response);
    if (this.#stopping) response.setHeader('connection', 'close');
    try {
      const wrong = headProblem(request);
      if (wrong !== null) {
        // The bytes after such a request cannot be interpreted safely.
        response.setHeader('connection', 'close');
        throw wrong;
      }
      const file = this.#options.files.find(request.url ?? '');
      if (file !== null) {
        endpoint = 'console';
        sendStaticFile(exchange, file);
        return;
      }
      const { route, params } = this.#router.find(request.method ?? '', request.url ?? '');
      endpoint = route.name;
      exchange.params = params;
      if (tracer !== null) beginTrace(tracer, exchange, route);
      const asked = this.#authenticate(request, route);
      // Usually known without waiting; an await would cost a turn.
      principal = asked instanceof Promise ? await asked : asked;
      if (principal !== null) {
        exchange.lane = principal.spaceId;
        exchange.lease = this.#options.bytes.open(principal);
      }
      await new Promise<void>((begin) => exchange.runFairly(begin));
      // The caller disconnected while the request was queued.
      if (response.destroyed) return;
      await route.handle(exchange, principal);
      cutIfStalled(response, clock);
    } catch (error) {
      this.#fail(exchange, error, { endpoint, principal });
    } finally {
      over();
    }
  }

  #authenticate(request: IncomingMessage, route: HttpRoute): Principal | Promise<Principal> | null {
    const { credential } = route.endpoint;
    // Session routes check their session themselves.
    return credential === 'none' || credential === 'session' || credential === 'administration'
      ? null
      : this.#options.authenticator.authenticate(request.headers, credential);
  }

  #fail(exchange: Exchange, error: unknown, of: { endpoint: string; principal: Principal | null }): void {
    const problem = asProblem(error);
    const { request, response } = exchange;
    requestFailed(exchange, { endpoint: of.endpoint, problem }, this.#options);
    // A caller that disconnected gets no error and is not logged; a bug is always logged.
    if (!response.destroyed || problem.code === 'internal_error')
      logProblem(this.#options.log, problem, { id: exchange.id, trace: exchange.trace, ...of });
    const allowed = problem.code === 'method_not_allowed' ? this.#router.allowed(request.url ?? '') : '';
    if (allowed !== '') response.setHeader('allow', allowed);
    if (response.destroyed) return;
    neverContinue(request);
    drainBody(request, this.#options);
    exchange.fail(problem);
    this.#keepRefusal(exchange, problem, of);
  }

  #keepRefusal(
    { id, startedAt }: Exchange,
    problem: Problem,
    { endpoint, principal }: { endpoint: string; principal: Principal | null },
  ): void {
    const { code, status, detail, param, upstream } = problem;
    const facts = upstream === null ? problem.facts : { ...problem.facts, ...upstream };
    const sender = { spaceId: principal?.spaceId ?? null, keyId: principal?.keyId ?? null };
    this.#options.refusals.note({
      id,
      at: startedAt,
      ...sender,
      endpoint,
      code,
      status,
      detail,
      param,
      facts,
    });
  }

  /** The bytes are not valid HTTP, or exceed a limit: there is no request object, only a socket. */
  #malformed(error: Error & { code?: string }, socket: Socket): void {
    // Do not write into an answer that has begun.
    const underWay = (socket as Socket & { _httpMessage?: ServerResponse })._httpMessage?.headersSent;
    if (error.code === 'ECONNRESET' || !socket.writable || underWay === true) {
      socket.destroy();
      return;
    }
    // Nor before the answer to an earlier request.
    if (this.#connections.answersLast(socket)) return;
    const problem = malformedProblem(error.code, HEADER_BYTES_MAX);
    const id = newId('req', this.#options.clock.now());
    socket.write(malformedAnswer(problem, id));
    this.#connections.close(socket);
    this.#options.log.info('a request was refused', {
      error_ref: id,
      request_id: id,
      code: problem.code,
      reason: error.code,
    });
  }
}
