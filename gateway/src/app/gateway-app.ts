/** The composition root: builds every object by hand, starts them in order, stops them in reverse. */
import { Authenticator } from '../access/authenticate.ts';
import { BlobKeeper } from '../blobs/blob-keeper.ts';
import { RouteHealth } from '../calls/route-health.ts';
import { StreamGather } from '../calls/stream-gather.ts';
import type { RunTextTools } from '../calls/text-request.ts';
import type { Environment } from '../catalog/config-file.ts';
import type { Database } from '../database/database.ts';
import { OpsServer } from '../http/ops-server.ts';
import { consoleFiles } from '../http/routes/console.ts';
import { withSignInPage } from '../http/routes/sign-in-page.ts';
import { HttpServer } from '../http/server.ts';
import { StreamPulse } from '../http/stream-pulse.ts';
import { Once } from '../idempotency/once.ts';
import type { JobRunner } from '../jobs/job-runner.ts';
import type { BackgroundTasks } from '../kernel/background-tasks.ts';
import type { Redactor } from '../kernel/redactor.ts';
import { UnitExpiry } from '../ledger/unit-expiry.ts';
import type { LogService } from '../logs/log-service.ts';
import { LinkSigner } from '../media/sign-link.ts';
import { Admission } from '../metering/admission.ts';
import { CallRecorder } from '../metering/call-recorder.ts';
import { Refusals } from '../metering/refusals.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import { RateLimiter } from '../rates/rate-limiter.ts';
import type { Redis } from '../redis/redis.ts';
import type { KeptResponses } from '../responses/kept-responses.ts';
import { Metrics } from '../telemetry/metrics.ts';
import { TokenCounter } from '../tokens/token-counter.ts';
import { createCallLimits } from './call-limits.ts';
import { CatalogSource } from './catalog-source.ts';
import { composeRoutes } from './compose-routes.ts';
import { composeWorkers } from './compose-workers.ts';
import { expiringBlobs } from './expiring-blobs.ts';
import { createBackground, createKeptResponses } from './kept-parts.ts';
import { createLogService } from './log-parts.ts';
import type { LogSettings } from './log-settings.ts';
import { createCallMedia } from './media-parts.ts';
import { collectGarbage, heapBytes, MemoryReturn } from './memory-return.ts';
import { openRedis } from './open-redis.ts';
import { openStores, type StoreOptions, type Stores } from './open-stores.ts';
import { createProviders } from './provider-parts.ts';
import { RetiredProviders } from './retired-providers.ts';
import { stopInOrder } from './stop-in-order.ts';

export interface AppOptions extends StoreOptions {
  readonly logs: LogSettings;
  readonly env: Environment;
  /** Knows what must not be seen; taught the keys of providers as they are configured. */
  readonly redactor: Redactor;
}

/** After the drain: calls that were cut are settled, and everything is made durable and closed. */
export const CLOSE_MS_MAX = 5_000;
/** Kept of it for the rest when calls are made durable. */
const CLOSE_MS_REST = 500;
/** `after notice`: load balancers have the time to learn of it, and idle connections to be closed by them. */
export type StopWay = 'now' | 'after notice';

export class GatewayApp {
  readonly db: Database;
  readonly catalog: CatalogSource;
  readonly recorder: CallRecorder;
  readonly #options: AppOptions;
  readonly #authenticator: Authenticator;
  readonly #providers: ProviderRegistry;
  readonly #tokens: TokenCounter;
  readonly #pulse: StreamPulse;
  readonly #keptResponses: KeptResponses;
  readonly #admission: Admission;
  readonly #unitExpiry: UnitExpiry;
  readonly #refusals: Refusals;
  readonly #once: Once;
  readonly keeper: BlobKeeper;
  readonly #workers: readonly JobRunner[];
  readonly #redis: Redis | null;
  readonly #media: ReturnType<typeof createCallMedia>;
  readonly #rates: RateLimiter;
  readonly #logs: LogService;
  readonly #http: HttpServer;
  readonly #ops: OpsServer;
  readonly #metrics: Metrics;
  readonly background: BackgroundTasks;
  readonly #memory: MemoryReturn;
  readonly #retired: RetiredProviders;
  #notReady: string | null = 'starting';
  #stopped: Promise<void> | null = null;

  /** Opens the database and brings it up to date; nothing listens yet. */
  static async open(options: AppOptions): Promise<GatewayApp> {
    return new GatewayApp(options, await openStores(options));
  }

  private constructor(options: AppOptions, { db, blobs }: Stores) {
    const { settings, clock, log, env } = options;
    const { limits } = settings;
    this.#options = options;
    this.db = db;
    this.#providers = createProviders(options);
    this.#tokens = new TokenCounter(clock);
    const health = new RouteHealth(clock);
    const { bytes, body, ...open } = createCallLimits(limits, clock);
    this.#metrics = new Metrics({
      inFlight: () => this.#http.inFlight,
      openRoutes: () => health.open().length,
      callersHeldBack: () => health.heldBack(),
      redisAway: () => (this.#redis?.away ? 1 : 0),
      bytes: () => bytes,
    });
    this.background = createBackground({ log, metrics: this.#metrics });
    const { background } = this;
    this.#retired = new RetiredProviders({ clock, background, inFlight: () => this.#http.inFlight });
    this.recorder = new CallRecorder({
      db,
      clock,
      onGroup: (group) => this.#metrics.groupCommitted(group),
      onTrouble: (error, group) => {
        this.#metrics.commitTrouble();
        log.error('calls could not be recorded', { error, ...group });
      },
    });
    this.catalog = new CatalogSource({
      file: settings.configFile,
      env,
      db,
      clock,
      log,
      onChange: (catalog) => this.#retired.add(this.#providers.replace(catalog.providers)),
    });
    this.#authenticator = new Authenticator({ db, clock });
    this.#pulse = new StreamPulse(clock);
    this.#admission = new Admission({ db, clock });
    this.#unitExpiry = new UnitExpiry({ db, clock, background });
    this.#refusals = new Refusals({ db, clock, background });
    this.#once = new Once({ db, clock });
    this.keeper = new BlobKeeper({ db, blobs, clock, log, expiring: expiringBlobs });
    const kept = { db, clock, blobs, keeper: this.keeper };
    this.#keptResponses = createKeptResponses(kept, { limits, log, metrics: this.#metrics });
    const files = {
      db,
      blobs,
      clock,
      keeper: this.keeper,
      once: this.#once,
      admission: this.#admission,
      catalog: () => this.catalog.current,
    };
    const { publicUrl } = settings;
    const links = { db, blobs, clock, signer: new LinkSigner({ db, clock }), publicUrl };
    this.#redis = openRedis(options);
    this.#rates = new RateLimiter({ db, clock, redis: this.#redis });
    this.#media = createCallMedia(options, links);
    this.#memory = new MemoryReturn({
      clock,
      bytes,
      inFlight: () => this.#http.inFlight,
      heapBytes,
      collect: collectGarbage,
    });
    const tools: RunTextTools = {
      bytes,
      media: this.#media,
      catalog: () => this.catalog.current,
      providers: this.#providers,
      health,
      recorder: this.recorder,
      admission: this.#admission,
      rates: this.#rates,
      tokens: this.#tokens,
      background,
      gather: new StreamGather(clock),
      onPaused: (change) => this.#metrics.streamsPausedChanged(change),
      clock,
      limits: {
        messagesMax: limits.messages,
        upstreamBodyBytesMax: limits.upstreamBodyBytes,
        callTotalMs: limits.callTotalMs,
        streamTotalMs: limits.streamTotalMs,
      },
    };
    const fetching = { guard: this.#media.guard, proxies: settings.proxies };
    const videos = { ...files, ...fetching, providers: this.#providers, rates: this.#rates };
    this.#workers = composeWorkers({
      ...{ log, limits, json: body, files, calls: tools, videos, media: this.#media },
    });
    this.#logs = createLogService(options.logs, {
      ...{ clock, log },
      limits: { perPerson: limits.logStreamsPerPerson, perProject: limits.logStreamsPerProject },
    });
    this.#http = new HttpServer({
      routes: composeRoutes({
        ...{ db, clock, settings, body, calls: tools, files, links, videos, logs: this.#logs, ...open },
        catalog: () => this.catalog.current,
        pulse: this.#pulse,
        kept: this.#keptResponses,
        notReady: () => this.#notReady,
      }),
      files: withSignInPage(consoleFiles()),
      authenticator: this.#authenticator,
      clock,
      log,
      metrics: this.#metrics,
      bytes,
      arrivals: body.arrivals,
      refusals: this.#refusals,
      clientIdleMs: limits.clientIdleMs,
      clientRequestMs: limits.clientRequestMs,
    });
    this.#ops = new OpsServer(this.#metrics);
  }

  /** Reads the catalogue and begins to know keys; still nothing listens. */
  async start(): Promise<void> {
    await this.catalog.start();
    await this.#authenticator.start();
    await this.#admission.start();
    await this.#redis?.start();
    this.#pulse.start();
    this.#memory.start();
    this.#keptResponses.start();
    this.#unitExpiry.start();
    this.#refusals.start();
    this.#once.start();
    await this.keeper.start();
    for (const workers of this.#workers) await workers.start();
  }

  /** Learns at once of a change to spaces, members, keys, units and limits. */
  async syncAccess(): Promise<void> {
    await this.#authenticator.runOnce();
    await this.#admission.runOnce();
  }

  async sweepAll(): Promise<void> {
    await this.#keptResponses.runOnce();
    await this.#unitExpiry.runOnce();
    await this.#refusals.runOnce();
    await this.#once.runOnce();
    await this.keeper.runOnce();
  }

  async listen(at: { host: string; port: number }): Promise<number> {
    const port = await this.#http.listen(at);
    this.#notReady = null;
    return port;
  }

  async listenOps(at: { host: string; port: number }): Promise<number> {
    this.#metrics.watchProcess();
    return await this.#ops.listen(at);
  }

  /** Drains what is under way, flushes the ledger. May be called twice; the first says in which way. */
  stop(way: StopWay = 'now'): Promise<void> {
    this.#stopped ??= this.#stop(way);
    return this.#stopped;
  }

  async #stop(way: StopWay): Promise<void> {
    const { clock, log, settings } = this.#options;
    const { shutdownWaitMs, shutdownIdleMs, drainMs } = settings.limits;
    const untilMs = clock.elapsedMs() + drainMs;
    this.#notReady = 'stopping';
    // Other processes take up the jobs meanwhile.
    const workersStopped = stopInOrder([() => Promise.all(this.#workers.map((one) => one.stop()))], log);
    const steps = [
      () => this.#http.leave(way === 'after notice' ? Math.min(shutdownWaitMs, drainMs) : 0),
      // Log streams have no end of their own; their clients reconnect to another process.
      () => this.#logs.stop(),
      () => this.#http.drain({ untilMs, quietMs: way === 'after notice' ? shutdownIdleMs : 0 }),
      () => this.#pulse.stop(),
      () => this.#memory.stop(),
      () => workersStopped,
      () => this.recorder.stop(this.#flushMs(untilMs)),
      () => this.#keptResponses.stop(),
      () => this.#once.stop(),
      () => this.keeper.stop(),
      () => this.catalog.stop(),
      () => this.#authenticator.stop(),
      () => this.#admission.stop(),
      () => this.#unitExpiry.stop(),
      () => this.#refusals.stop(),
      () => this.#rates.stop(),
      () => this.#redis?.stop(),
      () => this.#tokens.stop(),
      () => this.#media.assets.stop(),
      () => this.#retired.close(),
      () => this.#providers.close(),
      () => this.#ops.stop(),
      () => this.db.close(),
    ];
    await stopInOrder(steps, log);
  }

  /** How long the recorder may flush: what is left of the drain time, and a little more. */
  #flushMs(untilMs: number): number {
    const leftMs = untilMs + CLOSE_MS_MAX - CLOSE_MS_REST - this.#options.clock.elapsedMs();
    return Math.min(CLOSE_MS_MAX, Math.max(leftMs, CLOSE_MS_REST));
  }
}
