/** The settings of a process: flags first, then the environment, then tollgate.yaml, then defaults. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PASSWORD_ONLY, type SignInSettings } from '../access/sign-in-ways.ts';
import type { WorkloadIssuer } from '../access/workloads/workload-issuer.ts';
import type { S3Settings } from '../blobs/s3.ts';
import { apiDefaults, meteringDefaults, serverDefaults } from '../config/config-defaults.ts';
import type { ConfigFile } from '../config/config-shape.ts';
import type { ApiSettings } from '../contract/endpoint.ts';
import { Secret } from '../kernel/secret.ts';
import type { RetentionDays } from '../maintenance/retention.ts';
import type { JournalBounds } from '../metering/call-journal.ts';
import { Proxies, ProxyError } from '../net/proxies.ts';
import type { LogLevel } from '../telemetry/log.ts';
import { ConfigError } from '../yaml/config-error.ts';
import { ConfigProblems } from '../yaml/config-problems.ts';
import type { Environment } from '../yaml/expand-text.ts';
import { type AlertReach, readAlertReach } from './alert-settings.ts';
import { checkPlain } from './check-plain.ts';
import { type Limits, readLimits } from './limits.ts';
import { isRole, type ProcessRoles, processRoles } from './process-roles.ts';
import { readJournal, readRetention } from './record-settings.ts';
import { readSignIn } from './sign-in-settings.ts';
import { readWorkloadIssuers } from './workload-settings.ts';

/** Where the data of an installation is: enough for commands that do not serve. */
export interface Place {
  readonly dataFolder: string;
  readonly databaseUrl: Secret | null;
}

export interface Settings extends Place {
  /** The bucket for files; null: files are in the data folder. */
  readonly s3: S3Settings | null;
  /** Redis for per-minute rate limits; null: processes share their counts through the database. */
  readonly redisUrl: Secret | null;
  readonly configFile: string;
  /** Runs without a configuration file: the demo catalogue, the simulator, loopback only. */
  readonly demo: boolean;
  /** What this process does. */
  readonly roles: ProcessRoles;
  readonly host: string;
  readonly port: number;
  readonly opsHost: string;
  readonly opsPort: number;
  /** The URL for browsers, without a trailing slash; null: the address it listens on. */
  readonly publicUrl: string | null;
  /** True if the last proxy is the operator's own: its X-Forwarded-For and X-Forwarded-Proto are trusted. */
  readonly trustProxy: boolean;
  /** Private hosts that URLs in requests may name. */
  readonly fetchAllow: readonly string[];
  /** Whether host names in URLs that a provider will fetch are resolved and checked first. */
  readonly resolveAddresses: boolean;
  /** What alerts may reach, and the mail server. */
  readonly alerts: AlertReach;
  /** Through which requests to providers, to media and to the bucket go. */
  readonly proxies: Proxies;
  /** Endpoints that are offered only on request. */
  readonly api: ApiSettings;
  /** How people sign in to the console. */
  readonly signIn: SignInSettings;
  /** Whose tokens workloads may send instead of a key. */
  readonly workloadIssuers: readonly WorkloadIssuer[];
  readonly logLevel: LogLevel;
  readonly limits: Limits;
  readonly retention: RetentionDays;
  /** For the charges of calls while PostgreSQL does not answer; null: calls are rejected then. */
  readonly journal: JournalBounds | null;
  /** Whether what a batch may cost counts as spent until it is settled. */
  readonly reservesBatches: boolean;
}

export interface Flags {
  readonly config?: string;
  readonly data?: string;
  readonly port?: string;
  readonly host?: string;
  readonly role?: string;
}

/** A flag, an environment variable or an installation is wrong, not the file. */
export class SettingsError extends ConfigError {
  override readonly name = 'SettingsError';
}

const LOG_LEVELS: readonly string[] = ['debug', 'info', 'warn', 'error', 'silent'];

/** The configuration file, and whether it is that of the demo. */
export function findConfig(flags: Flags, env: Environment): { file: string; demo: boolean } {
  const named = flags.config ?? env.TOLLGATE_CONFIG;
  if (named !== undefined && !existsSync(named)) {
    throw new SettingsError(
      `The configuration file ${resolve(named)} does not exist. "tollgate init" creates one.`,
    );
  }
  const file = resolve(named ?? 'tollgate.yaml');
  if (existsSync(file)) return { file, demo: false };
  return { file: demoConfigFile(), demo: true };
}

export function findDataPlace(flags: Flags, env: Environment, file?: ConfigFile): Place {
  return {
    dataFolder: resolve(flags.data ?? env.TOLLGATE_DATA ?? 'data'),
    databaseUrl: readDatabaseUrl(env.DATABASE_URL || '', file?.database?.url ?? ''),
  };
}

/** The error about a value of the environment, or else of the file, whose line is then named. */
function invalid(fromEnvironment: boolean, path: string, message: string): ConfigError {
  return fromEnvironment ? new SettingsError(message) : new ConfigError(message, path);
}

function readDatabaseUrl(variable: string, written: string): Secret | null {
  const url = variable || written;
  if (url === '') return null;
  if (/^postgres(?:ql)?:\/\/./.test(url) && URL.canParse(url)) return new Secret(url);
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1];
  const sent = scheme === undefined ? '' : ` It begins with ${scheme}://, but only PostgreSQL is supported.`;
  // The rest is not shown, because it may contain a password.
  const message =
    `DATABASE_URL (or database.url) must be like postgres://user:password@host:5432/database.${sent} ` +
    'Leave it out to use the embedded database.';
  throw invalid(variable !== '', 'database.url', message);
}

/** Throws an error that names everything that is wrong. */
export function readSettings(
  flags: Flags,
  env: Environment,
  config: { file: string; demo: boolean; content: ConfigFile },
): Settings {
  const {
    server = {},
    api = {},
    redis,
    s3,
    sign_in,
    workload_identity,
    limits,
    retention,
    metering,
    alerts,
    smtp,
  } = config.content;
  const problems = new ConfigProblems();
  problems.attempt(() => checkPlain(env.TOLLGATE_PLAIN || ''));
  const host = flags.host ?? env.HOST ?? server.host ?? serverDefaults.host;
  if (config.demo) problems.attempt(() => checkDemoHost(host));
  const publicUrl = problems.attempt(() =>
    readPublicUrl(env.TOLLGATE_PUBLIC_URL || '', server.public_url ?? ''),
  );
  const read = <Value, Instead>(work: () => Value, instead: Instead): Value | Instead =>
    problems.attempt(work) ?? instead;
  const port = flags.port ?? env.PORT ?? server.port ?? serverDefaults.port;
  const opsPort = env.OPS_PORT ?? server.ops_port ?? serverDefaults.ops_port;
  const place = problems.attempt(() => findDataPlace(flags, env, config.content));
  const settings: Settings = {
    ...(place ?? { dataFolder: '', databaseUrl: null }),
    roles: read(() => readRoles(flags.role, place), new Set()),
    s3: problems.attempt(() => readS3(env, s3)),
    configFile: config.file,
    demo: config.demo,
    redisUrl: problems.attempt(() => readRedisUrl(env.REDIS_URL || '', redis?.url ?? '')),
    host,
    port: read(() => readPort('PORT', port), 0),
    opsHost: env.OPS_HOST ?? server.ops_host ?? serverDefaults.ops_host,
    opsPort: read(() => readPort('OPS_PORT', opsPort), 0),
    publicUrl,
    trustProxy: server.trust_proxy ?? serverDefaults.trust_proxy,
    fetchAllow: server.fetch_allow ?? [],
    resolveAddresses: server.resolve_addresses ?? serverDefaults.resolve_addresses,
    alerts: readAlertReach(alerts, smtp),
    proxies: read(() => readProxies(env), Proxies.fromEnvironment({})),
    api: { ...apiDefaults, ...api },
    signIn: read(() => readSignIn(sign_in, { publicUrl, host }), PASSWORD_ONLY),
    workloadIssuers: read(() => readWorkloadIssuers(workload_identity), []),
    logLevel: read(() => readLogLevel(env.LOG_LEVEL ?? (config.demo ? 'warn' : 'info')), 'info'),
    limits: readLimits(limits),
    retention: readRetention(retention),
    journal: readJournal(metering),
    reservesBatches: metering?.reserve_batches ?? meteringDefaults.reserveBatches,
  };
  problems.throwAny();
  return settings;
}

function checkDemoHost(host: string): void {
  if (['127.0.0.1', 'localhost', '::1'].includes(host)) return;
  throw new SettingsError(
    `The demo listens on this machine only, not on ${host}. Run "tollgate init" to write a tollgate.yaml, then serve it.`,
  );
}

function readLogLevel(level: string): LogLevel {
  if (LOG_LEVELS.includes(level)) return level as LogLevel;
  throw new SettingsError(
    `LOG_LEVEL is ${JSON.stringify(level)}. It must be one of ${LOG_LEVELS.join(', ')}.`,
  );
}

/** All roles by default. The embedded database has one process, which therefore has all of them. */
function readRoles(text: string | undefined, place: Place | null): ProcessRoles {
  const named = text?.split(',').map((role) => role.trim()) ?? processRoles;
  const unknown = named.find((role) => !isRole(role));
  if (unknown !== undefined) {
    throw new SettingsError(
      `--role has ${JSON.stringify(unknown)}. It must be one or more of ${processRoles.join(', ')}, separated by commas.`,
    );
  }
  const roles = new Set(processRoles.filter((role) => named.includes(role)));
  if (place !== null && place.databaseUrl === null && roles.size < processRoles.length) {
    throw new SettingsError(
      `--role ${text} needs PostgreSQL: the embedded database belongs to one process, which has all roles. ` +
        'Set DATABASE_URL (or database.url), or leave --role out.',
    );
  }
  return roles;
}

function readProxies(env: Environment): Proxies {
  try {
    return Proxies.fromEnvironment(env);
  } catch (error) {
    if (error instanceof ProxyError) throw new SettingsError(error.message);
    throw error;
  }
}

/** Credentials are not configured here: the SDK finds them by itself. */
function readS3(env: Environment, entry: NonNullable<ConfigFile['s3']> | undefined): S3Settings | null {
  const bucket = env.S3_BUCKET || entry?.bucket || '';
  const endpoint = env.S3_ENDPOINT || entry?.endpoint || null;
  if (bucket === '') {
    if (endpoint === null) return null;
    throw new SettingsError('S3_ENDPOINT is set, but S3_BUCKET is not. Set S3_BUCKET too.');
  }
  if (endpoint !== null && !URL.canParse(endpoint)) {
    // Not shown, because it may contain credentials.
    const message = 'S3_ENDPOINT (or s3.endpoint) must be a URL like https://host.';
    throw invalid(Boolean(env.S3_ENDPOINT), 's3.endpoint', message);
  }
  const region = env.S3_REGION || env.AWS_REGION || entry?.region || serverDefaults.region;
  return { bucket, region, endpoint, prefix: env.S3_PREFIX || entry?.prefix || '' };
}

function readRedisUrl(variable: string, written: string): Secret | null {
  const url = variable || written;
  if (url === '') return null;
  if (/^rediss?:\/\/./.test(url) && URL.canParse(url)) return new Secret(url);
  // Not shown, because it may contain a password.
  const message =
    'REDIS_URL (or redis.url) must be a URL of the form redis://user:password@host:6379 or rediss://….';
  throw invalid(variable !== '', 'redis.url', message);
}

function readPort(name: string, value: string | number): number {
  const port = Number(value);
  if (!Number.isInteger(port) || port < 0 || port > 65_535 || value === '') {
    throw new SettingsError(
      `${name} is ${JSON.stringify(value)}. It must be a whole number from 0 to 65535.`,
    );
  }
  return port;
}

function readPublicUrl(variable: string, written: string): string | null {
  const value = variable || written;
  if (value === '') return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search + url.hash === '')
    return url.origin;
  const message = `The public address is ${JSON.stringify(value)}. It must be like https://tollgate.example.com, without a path.`;
  throw invalid(variable !== '', 'server.public_url', message);
}

/** Built code is one folder deeper than its source. */
function demoConfigFile(): string {
  const [near = '', far = ''] = ['../../', '../../../'].map((up) =>
    fileURLToPath(new URL(`${up}demo/tollgate.yaml`, import.meta.url)),
  );
  return existsSync(near) ? near : far;
}
