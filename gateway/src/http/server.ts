/** The public listener. Gives each request its id, finds its route, checks its key, and answers every error. */
import { bearsAdminToken } from '../access/actor.ts';
import type { Authenticator } from '../access/authenticate.ts';
import type { Principal } from '../access/principal.ts';
import type { EdgeRequest } from '../edge/edge-request.ts';
import type { EdgeResponse } from '../edge/edge-response.ts';
import { EdgeServer } from '../edge/edge-server.ts';
import type { RequestFault } from '../edge/request-head.ts';
import { newId } from '../kernel/ids.ts';
import { asProblem, type Problem } from '../kernel/problem.ts';
import { pause } from '../kernel/time.ts';
import type { ByteBudget } from '../memory/byte-budget.ts';
import type { Refusals } from '../metering/refusals.ts';
import type { Log } from '../telemetry/log.ts';
import type { BodyArrivals } from './body-arrivals.ts';
import { headProblem } from './check-request.ts';
import { type HttpRoute, readsMessagesShape } from './define-route.ts';
import { drainBody } from './drain-body.ts';
import { Exchange } from './exchange.ts';
import { FairQueue } from './fair-queue.ts';
import { logProblem } from './log-problem.ts';
import { malformedAnswer, malformedProblem } from './malformed-request.ts';
import { beginTrace, type RequestObserver, requestEnded, requestFailed } from './observe-request.ts';
import { Router } from './router.ts';
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
  readonly limits: ClientLimits;
  /** Ends calls that a disconnect does not end, when the time to finish them is up. */
  readonly cutCalls: () => void;
}

export interface ClientLimits {
  /** How long a client may take to send its headers. */
  readonly clientIdleMs: number;
  /** How long a client may take to send its whole request. */
  readonly clientRequestMs: number;
  /** How long a client may take no byte of an answer that waits for it. */
  readonly clientStallMs: number;
  /** The same for streams. */
  readonly streamStallMs: number;
  /** How long a client may take for a whole answer that is not a stream. */
  readonly answerTotalMs: number;
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
  readonly #server: EdgeServer;
  readonly #queue = new FairQueue();
  #inFlight = 0;
  #stopping = false;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#router = new Router(options.routes);
    const { limits } = options;
    this.#server = new EdgeServer({
      clock: options.clock,
      headBytesMax: HEADER_BYTES_MAX,
      headMs: limits.clientIdleMs,
      requestMs: Math.max(limits.clientRequestMs, limits.clientIdleMs),
      keepAliveMs: KEEP_ALIVE_MS,
      stallMs: limits.clientStallMs,
      streamStallMs: limits.streamStallMs,
      answerMs: limits.answerTotalMs,
      handle: (request, response) => this.#take(request, response),
      answerFault: (fault) => this.#malformed(fault),
      cut: (reason) => options.log.info('a client was disconnected, because it did not read', { reason }),
    });
  }

  /** Resolves to the port in use; rejects with EADDRINUSE when it is taken. */
  async listen(at: { host: string; port: number }): Promise<number> {
    return await this.#server.listen(at);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Answers that wait for a client that does not read. */
  get unread(): number {
    return this.#server.unread;
  }

  /**
   * Continues as before for `waitMs`, in which load balancers notice that they should use another process, then
   * accepts no more connections.
   */
  async leave(waitMs: number): Promise<void> {
    await pause(this.#options.clock, waitMs);
    this.#stopping = true;
    this.#server.announceClose();
    // Closing resets connections that are not accepted yet, so wait for a turn without new ones.
    for (let turn = 0; turn < QUIET_TURNS_MAX; turn++) {
      const { accepted } = this.#server;
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#server.accepted === accepted) break;
    }
    // Idle connections stay open, because a request may be arriving on them.
    this.#server.stopListening();
  }

  /**
   * Lets requests finish until `untilMs`, and clients close idle connections, or closes those after `quietMs`. Then
   * cuts the rest.
   */
  async drain({ untilMs, quietMs }: { untilMs: number; quietMs: number }): Promise<void> {
    const { clock } = this.#options;
    const open = (): boolean => this.#inFlight > 0 || this.#server.size > 0;
    while (open() && clock.elapsedMs() < untilMs) {
      this.#server.closeIdle(quietMs);
      if (open()) await pause(clock, DRAIN_CHECK_MS);
    }
    this.#server.stop();
    this.#options.cutCalls();
    // Calls that were cut are charged for what was produced.
    const settledMs = clock.elapsedMs() + CUT_MS_MAX;
    while (this.#inFlight > 0 && clock.elapsedMs() < settledMs) await pause(clock, DRAIN_CHECK_MS);
  }

  /** If even the error cannot be sent, only this request ends. */
  #take(request: EdgeRequest, response: EdgeResponse): void {
    this.#serve(request, response).catch((error: unknown) => {
      this.#options.log.error('a request could not be answered', { error });
      response.destroy();
    });
  }

  async #serve(request: EdgeRequest, response: EdgeResponse): Promise<void> {
    const { clock, tracer } = this.#options;
    const { running } = this.#options.authenticator;
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
      running.remove(exchange);
      exchange.over();
      requestEnded(exchange, endpoint, this.#options);
    };
    response.on('close', over);
    if (this.#stopping) response.closeAfter();
    try {
      const wrong = headProblem(request);
      if (wrong !== null) {
        // The bytes after such a request cannot be interpreted safely.
        response.closeAfter();
        throw wrong;
      }
      const file = this.#options.files.find(request.url);
      if (file !== null) {
        endpoint = 'console';
        sendStaticFile(exchange, file);
        return;
      }
      const { route, params } = this.#router.find(request.method, request.url);
      endpoint = route.name;
      exchange.params = params;
      if (tracer !== null) beginTrace(tracer, exchange, route);
      const asked = this.#authenticate(request, route);
      // Usually known without waiting; an await would cost a turn.
      principal = asked instanceof Promise ? await asked : asked;
      if (principal !== null) {
        exchange.runsUnder(principal, route.endpoint.charged === true);
        running.add(exchange);
        exchange.lease = this.#options.bytes.open(principal);
      }
      await new Promise<void>((begin) => exchange.runFairly(begin));
      // The caller disconnected while the request was queued.
      if (response.destroyed) return;
      if (exchange.stopped !== null) throw exchange.stopped;
      await route.handle(exchange, principal);
    } catch (error) {
      this.#fail(exchange, error, { endpoint, principal });
    } finally {
      over();
    }
  }

  #authenticate(request: EdgeRequest, route: HttpRoute): Principal | Promise<Principal> | null {
    const { credential, messagesShape } = route.endpoint;
    // Session routes check their session themselves.
    if (credential === 'none' || credential === 'session' || credential === 'administration') return null;
    // Its route checks the token.
    if (credential === 'organization' && bearsAdminToken(request.headers)) return null;
    const surface = messagesShape && readsMessagesShape(request) ? 'messages' : credential;
    return this.#options.authenticator.authenticate(request.headers, surface);
  }

  #fail(exchange: Exchange, error: unknown, of: { endpoint: string; principal: Principal | null }): void {
    const problem = stopProblem(exchange, asProblem(error));
    const { request, response } = exchange;
    requestFailed(exchange, { endpoint: of.endpoint, problem }, this.#options);
    // A caller that disconnected gets no error and is not logged; a bug is always logged.
    if (!response.destroyed || problem.code === 'internal_error')
      logProblem(this.#options.log, problem, { id: exchange.id, trace: exchange.trace, ...of });
    const allowed = problem.code === 'method_not_allowed' ? this.#router.allowed(request.url) : '';
    if (allowed !== '') response.setHeader('allow', allowed);
    if (response.destroyed) return;
    request.neverContinue();
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

  /** The bytes are not valid HTTP, or exceed a limit: there is no exchange. */
  #malformed(fault: RequestFault): string {
    const problem = malformedProblem(fault, HEADER_BYTES_MAX);
    const id = newId('req', this.#options.clock.now());
    this.#options.log.info('a request was refused', {
      error_ref: id,
      request_id: id,
      code: problem.code,
      reason: fault,
    });
    return malformedAnswer(problem, id);
  }
}

/** What fails because the request was ended fails for that reason. */
function stopProblem({ stopped }: Exchange, problem: Problem): Problem {
  return problem.code === 'internal_error' ? problem : (stopped ?? problem);
}
