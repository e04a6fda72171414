/** The composition root: builds every object by hand, and holds the one list of what runs (`#partsOf`). */
import { Authenticator } from '../access/authenticate.ts';
import { WorkloadTokens } from '../access/workloads/workload-tokens.ts';
import { lineRules } from '../batches/unpriced-line.ts';
import { BlobKeeper } from '../blobs/blob-keeper.ts';
import type { Blobs } from '../blobs/blobs.ts';
import type { CallTools } from '../calls/call-tools.ts';
import { WriteCoalescer } from '../calls/write-coalescer.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Database } from '../database/database.ts';
import { KeepAliveTimer } from '../http/keep-alive-timer.ts';
import { OpsServer } from '../http/ops-server.ts';
import { HttpServer } from '../http/server.ts';
import type { JobRunner } from '../jobs/job-runner.ts';
import type { BackgroundTasks } from '../kernel/background-tasks.ts';
import type { Redactor } from '../kernel/redactor.ts';
import type { Running, Stoppable } from '../kernel/running.ts';
import type { LogService } from '../logs/log-service.ts';
import { Retention } from '../maintenance/retention.ts';
import { LinkSigner } from '../media/sign-link.ts';
import { Refusals } from '../metering/refusals.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import { RateLimiter } from '../rates/rate-limiter.ts';
import type { Redis } from '../redis/redis.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracer } from '../telemetry/trace.ts';
import { TokenCounter } from '../tokens/token-counter.ts';
import type { Environment } from '../yaml/expand-text.ts';
import { administration, type RunOperation } from './administer.ts';
import { createAlerts } from './alert-parts.ts';
import { createCallLimits, limitsOfCalls } from './call-limits.ts';
import { CatalogSource } from './catalog-source.ts';
import { type ChargingParts, createCharging } from './charging-parts.ts';
import { composeFiles, composeRoutes } from './compose-routes.ts';
import { composeWorkers } from './compose-workers.ts';
import { configuredIn, describeInstallation } from './describe-installation.ts';
import { expiringBlobs } from './expiring-blobs.ts';
import { createKeptParts, type KeptParts } from './kept-parts.ts';
import { createLogService } from './log-parts.ts';
import type { LogSettings } from './log-settings.ts';
import { createCallMedia } from './media-parts.ts';
import { MemoryReturn } from './memory-return.ts';
import { countSettlements, createMetrics, purseSources } from './meter-parts.ts';
import { createOnceParts, type OnceParts } from './once-parts.ts';
import { openRedis } from './open-redis.ts';
import { openStores, type StoreOptions, type Stores } from './open-stores.ts';
import { type CreateTracer, openTracer } from './open-tracer.ts';
import { listens } from './process-roles.ts';
import { createProviders } from './provider-parts.ts';
import { createBackground } from './reporting-parts.ts';
import { RetiredProviders } from './retired-providers.ts';
import { type Part, RunningParts } from './running-parts.ts';
import { type StopPlan, type StopWay, tracesMs } from './stop-plan.ts';
import type { TraceSettings } from './trace-settings.ts';
import { version } from './version.ts';

const NOTHING: Stoppable = { stop: () => undefined };

export interface AppOptions extends StoreOptions {
  readonly logs: LogSettings;
  readonly env: Environment;
  /** Null: no traces. */
  readonly traces: TraceSettings | null;
  /** Masks secrets in logs; the keys of providers are added as they are configured. */
  readonly redactor: Redactor;
}

export class GatewayApp {
  readonly db: Database;
  readonly catalog: CatalogSource;
  readonly #charging: ChargingParts;
  readonly #options: AppOptions;
  readonly #authenticator: Authenticator;
  readonly #providers: ProviderRegistry;
  readonly #tokens: TokenCounter;
  readonly #keepAlive: KeepAliveTimer;
  readonly #kept: KeptParts;
  readonly #refusals: Refusals;
  readonly #retention: Retention;
  readonly #once: OnceParts;
  readonly keeper: BlobKeeper;
  readonly blobs: Blobs;
  readonly #workers: readonly JobRunner[];
  readonly #redis: Redis | null;
  readonly #media: ReturnType<typeof createCallMedia>;
  readonly #rates: RateLimiter;
  readonly #logs: LogService | null;
  readonly #http: HttpServer;
  readonly #ops: OpsServer;
  readonly metrics: Metrics;
  readonly #tracer: Tracer | null;
  readonly background: BackgroundTasks;
  readonly administer: RunOperation;
  readonly #memory: MemoryReturn;
  readonly #retired: RetiredProviders;
  readonly #parts: RunningParts<StopPlan>;
  #notReady: string | null = 'starting';
  #stopped: Promise<void> | null = null;

  /** Opens the database and migrates it; nothing listens yet. */
  static async open(options: AppOptions): Promise<GatewayApp> {
    const createTracer = await openTracer(options.traces);
    return new GatewayApp(options, await openStores(options), createTracer);
  }

  private constructor(options: AppOptions, stores: Stores, createTracer: CreateTracer | null) {
    const { settings, clock, log, env, db, blobs, outage } = { ...options, ...stores };
    const { limits, roles, retention: days, publicUrl, reservesBatches } = settings;
    const catalog = (): Catalog => this.catalog.current;
    this.#options = options;
    this.db = db;
    this.blobs = blobs;
    this.#providers = createProviders(options);
    this.#tokens = new TokenCounter(clock);
    const { bytes, body, routing, ...open } = createCallLimits(limits, clock);
    const { health, load } = routing;
    this.metrics = createMetrics({
      db,
      clock,
      health,
      load,
      bytes: () => bytes,
      catalog,
      inFlight: () => this.#http.inFlight,
      unread: () => this.#http.unread,
      redis: () => this.#redis,
      logs: () => this.#logs,
      unmatchedMarkup: () => this.catalog.unmatchedMarkup,
      pendingCalls: () => this.#charging.recorder.pending,
      repeatable: () => this.#once.answers,
      leftCalls: () => this.#charging.leftCalls.waiting,
      purses: purseSources(() => this.#charging),
    });
    this.#tracer = createTracer?.({ clock, log, metrics: this.metrics }) ?? null;
    this.background = createBackground({ log, metrics: this.metrics });
    const { background } = this;
    const inFlight = (): number => this.#http.inFlight;
    this.#retired = new RetiredProviders({ clock, background, inFlight });
    const reports = { log, metrics: this.metrics };
    this.#charging = createCharging(stores, { clock, ...reports, background, roles, limits, publicUrl });
    const { recorder, admission, leftCalls, attributions } = this.#charging;
    this.catalog = new CatalogSource({
      file: settings.configFile,
      env,
      db,
      clock,
      log,
      onChange: ({ providers }) => this.#retired.add(this.#providers.replace(providers)),
    });
    const { workloadIssuers, proxies } = settings;
    const workloads = new WorkloadTokens(workloadIssuers, { clock, proxies });
    this.#authenticator = new Authenticator({ db, clock, viewMsMax: outage.viewMsMax, workloads });
    this.#authenticator.onChange(() => this.#charging.book.forgetAnswers('budget'));
    this.#keepAlive = new KeepAliveTimer(clock);
    this.#refusals = new Refusals({ db, clock, background, keptDays: days.errors });
    this.#retention = new Retention({ db, clock, log, days });
    const keyed = { db, clock, recorder, background };
    this.#once = createOnceParts(keyed, reports);
    this.keeper = new BlobKeeper({ db, blobs, clock, log, expiring: expiringBlobs });
    const kept = { db, clock, blobs, keeper: this.keeper, outage: outage.outage, catalog };
    const recovery = { ...this.#once, tokens: this.#tokens, limits, log, metrics: this.metrics };
    this.#kept = createKeptParts({ ...kept, ...recovery });
    const files = {
      db,
      blobs,
      clock,
      keeper: this.keeper,
      admission,
      catalog,
      reservesBatches,
      ...this.#once,
      onSettled: countSettlements(this.metrics),
      ...lineRules({ providers: this.#providers, clock }),
    };
    const links = { db, blobs, clock, signer: new LinkSigner({ db, clock }), publicUrl };
    this.#redis = openRedis(options);
    this.#rates = new RateLimiter({ db, clock, redis: this.#redis });
    this.#media = createCallMedia(options, links);
    this.#memory = new MemoryReturn({ clock, bytes, inFlight });
    const tools: CallTools = {
      bytes,
      attributions,
      catalog,
      ...routing,
      background,
      clock,
      media: this.#media,
      providers: this.#providers,
      recorder,
      admission,
      leftCalls,
      rates: this.#rates,
      tokens: this.#tokens,
      meter: this.metrics.calls,
      coalescer: new WriteCoalescer(clock),
      onPaused: (change) => this.metrics.streamsPausedChanged(change),
      limits: limitsOfCalls(limits),
    };
    const network = { guard: this.#media.guard, proxies };
    const videos = { ...files, ...network, attributions, providers: this.#providers, rates: this.#rates };
    const lines = { ...tools, meter: this.metrics.calls.ofBatches };
    const alerts = createAlerts({ db, clock, settings, metrics: this.metrics, background, catalog, health });
    const workerParts = { log, limits, json: body, files, calls: lines, videos, media: this.#media, alerts };
    this.#workers = roles.has('worker') ? composeWorkers(workerParts) : [];
    this.#logs = roles.has('logs') ? createLogService(options.logs, { clock, log, limits }) : null;
    const installation = describeInstallation({
      settings,
      health,
      catalog,
      redis: () => this.#redis,
      inFlight,
      ready: () => this.#notReady === null,
    });
    const configured = configuredIn(catalog, clock);
    this.administer = administration({ db, clock, ...configured, installation }, () => this.syncAccess());
    this.#http = new HttpServer({
      routes: composeRoutes({
        db,
        clock,
        settings,
        body,
        calls: tools,
        files,
        links,
        videos,
        logs: this.#logs,
        ...open,
        administer: this.administer,
        catalog,
        keepAlive: this.#keepAlive,
        kept: this.#kept.kept,
        background: this.#kept.background,
        answers: this.#once.answers,
        notReady: () => this.#notReady,
        onAccessChange: (listener) => this.#authenticator.onChange(listener),
      }),
      files: composeFiles(settings, catalog),
      clock,
      log,
      bytes,
      authenticator: this.#authenticator,
      metrics: this.metrics,
      tracer: this.#tracer,
      isModel: (code) => catalog().models.has(code),
      limits,
      arrivals: body.arrivals,
      refusals: this.#refusals,
      cutCalls: () => this.#once.answers.cut(),
    });
    this.#ops = new OpsServer({
      metrics: (accept) => this.metrics.page(accept),
      health: () => ({ version, roles: [...roles] }),
      notReady: () => this.#notReady,
    });
    this.#parts = new RunningParts(this.#partsOf(), log);
  }

  /** Starts everything in the background, first what charges calls; nothing listens yet. */
  async start(): Promise<void> {
    await this.#parts.start();
  }

  /** Applies a change to spaces, members, keys, units and limits at once. */
  async syncAccess(): Promise<void> {
    await this.#authenticator.runOnce();
    await this.#charging.admission.runOnce();
  }

  async sweepAll(): Promise<void> {
    const stores = [this.#once.answers, this.#kept.kept, this.#once.once, this.keeper];
    for (const sweeper of [...stores, ...this.#charging.sweepers, this.#refusals, this.#retention])
      await sweeper.runOnce();
  }

  /** Null for a process whose roles need no listener. */
  async listen(at: { host: string; port: number }): Promise<number | null> {
    const port = listens(this.#options.settings.roles) ? await this.#http.listen(at) : null;
    this.#notReady = null;
    return port;
  }

  async listenOps(at: { host: string; port: number }): Promise<number> {
    this.metrics.watchProcess();
    return await this.#ops.listen(at);
  }

  /** Finishes what is under way and flushes the ledger. May be called twice; the first call decides the way. */
  stop(way: StopWay = 'now'): Promise<void> {
    this.#stopped ??= this.#stop(way);
    return this.#stopped;
  }

  async #stop(way: StopWay): Promise<void> {
    const { clock, settings } = this.#options;
    const { shutdownWaitMs, shutdownIdleMs, drainMs } = settings.limits;
    const announced = way === 'after notice' && listens(settings.roles);
    // The port of a process that was replaced is ready all the time.
    if (way !== 'replaced') this.#notReady = 'stopping';
    await this.#parts.stop({
      untilMs: clock.elapsedMs() + drainMs,
      noticeMs: announced ? Math.min(shutdownWaitMs, drainMs) : 0,
      quietMs: way === 'now' ? 0 : shutdownIdleMs,
    });
  }

  /** Everything that runs, in the order in which it is started; `stopsAt` decides when it is stopped. */
  #partsOf(): ReadonlyArray<Part<StopPlan>> {
    const http = this.#http;
    const { clock } = this.#options;
    // The start of these begins their sweeps, which are the work of workers; the stop also writes what is left.
    const sweeps = this.#options.settings.roles.has('worker');
    const sweeping = (part: Running): Stoppable => (sweeps ? part : { stop: () => part.stop() });
    return [
      ...this.#charging.parts,
      { name: 'catalogue', stopsAt: 'followers', running: this.catalog },
      { name: 'keys', stopsAt: 'followers', running: this.#authenticator },
      { name: 'Redis', stopsAt: 'connections', running: this.#redis ?? NOTHING },
      { name: 'keep-alives', stopsAt: 'timers', running: this.#keepAlive },
      { name: 'memory', stopsAt: 'timers', running: this.#memory },
      { name: 'kept responses', stopsAt: 'stores', running: sweeping(this.#kept.kept) },
      { name: 'refusals', stopsAt: 'followers', running: sweeping(this.#refusals) },
      { name: 'retention', stopsAt: 'followers', running: sweeping(this.#retention) },
      { name: 'idempotency keys', stopsAt: 'stores', running: sweeping(this.#once.once) },
      { name: 'stored answers', stopsAt: 'stores', running: sweeping(this.#once.answers) },
      { name: 'blobs', stopsAt: 'stores', running: sweeping(this.keeper) },
      // Early, so that other processes take over the jobs while requests finish here.
      ...this.#workers.map(
        (running) => ({ name: 'jobs', stopsAt: 'jobs', stopsEarly: true, running }) as const,
      ),
      { name: 'listener', stopsAt: 'leave', running: { stop: ({ noticeMs }) => http.leave(noticeMs) } },
      { name: 'log streams', stopsAt: 'log streams', running: this.#logs ?? NOTHING },
      { name: 'requests', stopsAt: 'drain', running: { stop: (plan) => http.drain(plan) } },
      { name: 'rate limits', stopsAt: 'followers', running: this.#rates },
      { name: 'token counter', stopsAt: 'connections', running: this.#tokens },
      { name: 'provider assets', stopsAt: 'connections', running: this.#media.assets },
      { name: 'retired providers', stopsAt: 'connections', running: this.#retired },
      { name: 'providers', stopsAt: 'connections', running: { stop: () => this.#providers.close() } },
      { name: 'metrics', stopsAt: 'connections', running: this.#ops },
      {
        name: 'traces',
        stopsAt: 'connections',
        running: { stop: (plan) => this.#tracer?.stop(tracesMs(plan, clock)) },
      },
      { name: 'database', stopsAt: 'database', running: { stop: () => this.db.close() } },
    ];
  }
}
