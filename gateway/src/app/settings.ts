/** The settings of a process: flags first, then the environment, then tollgate.yaml, then defaults. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SignInSettings } from '../access/sign-in-ways.ts';
import type { S3Settings } from '../blobs/s3.ts';
import type { ConfigFile, Environment } from '../catalog/config-file.ts';
import { Secret } from '../kernel/secret.ts';
import type { RetentionDays } from '../maintenance/retention.ts';
import { REFUSAL_KEPT_DAYS } from '../metering/refusals.ts';
import { Proxies, ProxyError } from '../net/proxies.ts';
import type { LogLevel } from '../telemetry/log.ts';
import { type Limits, readLimits } from './limits.ts';
import { isRole, type ProcessRoles, processRoles } from './process-roles.ts';
import { readSignIn } from './sign-in-settings.ts';

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
  /** Through which requests to providers, to media and to the bucket go. */
  readonly proxies: Proxies;
  /** How people sign in to the console. */
  readonly signIn: SignInSettings;
  readonly logLevel: LogLevel;
  readonly limits: Limits;
  readonly retention: RetentionDays;
}

export interface Flags {
  readonly config?: string;
  readonly data?: string;
  readonly port?: string;
  readonly host?: string;
  readonly role?: string;
}

export class SettingsError extends Error {
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
  const url = env.DATABASE_URL || file?.database?.url || '';
  return {
    dataFolder: resolve(flags.data ?? env.TOLLGATE_DATA ?? 'data'),
    databaseUrl: readDatabaseUrl(url),
  };
}

function readDatabaseUrl(url: string): Secret | null {
  if (url === '') return null;
  if (/^postgres(?:ql)?:\/\/./.test(url) && URL.canParse(url)) return new Secret(url);
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1];
  const sent = scheme === undefined ? '' : ` It begins with ${scheme}://, but only PostgreSQL is supported.`;
  // The rest is not shown, because it may contain a password.
  throw new SettingsError(
    `DATABASE_URL (or database.url) must be like postgres://user:password@host:5432/database.${sent} ` +
      'Leave it out to use the embedded database.',
  );
}

export function readSettings(
  flags: Flags,
  env: Environment,
  config: { file: string; demo: boolean; content: ConfigFile },
): Settings {
  const { server = {} } = config.content;
  const host = flags.host ?? env.HOST ?? server.host ?? '127.0.0.1';
  if (config.demo && !['127.0.0.1', 'localhost', '::1'].includes(host)) {
    throw new SettingsError(
      `The demo listens on this machine only, not on ${host}. Run "tollgate init" to write a tollgate.yaml, then serve it.`,
    );
  }
  const logLevel = env.LOG_LEVEL ?? (config.demo ? 'warn' : 'info');
  if (!LOG_LEVELS.includes(logLevel)) {
    throw new SettingsError(
      `LOG_LEVEL is ${JSON.stringify(logLevel)}. It must be one of ${LOG_LEVELS.join(', ')}.`,
    );
  }
  const publicUrl = readPublicUrl(env.TOLLGATE_PUBLIC_URL || server.public_url || null);
  const place = findDataPlace(flags, env, config.content);
  return {
    ...place,
    roles: readRoles(flags.role, place),
    s3: readS3(env, config.content.s3),
    configFile: config.file,
    demo: config.demo,
    redisUrl: readRedisUrl(env.REDIS_URL || config.content.redis?.url || ''),
    host,
    port: readPort('PORT', flags.port ?? env.PORT ?? server.port ?? 8080),
    opsHost: env.OPS_HOST ?? server.ops_host ?? '127.0.0.1',
    opsPort: readPort('OPS_PORT', env.OPS_PORT ?? server.ops_port ?? 9464),
    publicUrl,
    trustProxy: server.trust_proxy ?? false,
    fetchAllow: server.fetch_allow ?? [],
    resolveAddresses: server.resolve_addresses ?? true,
    proxies: readProxies(env),
    signIn: readSignIn(config.content.sign_in, { publicUrl, host }),
    logLevel: logLevel as LogLevel,
    limits: readLimits(config.content.limits),
    retention: readRetention(config.content.retention),
  };
}

function readRetention(entry: ConfigFile['retention'] = {}): RetentionDays {
  const { calls_days: calls, errors_days: errors, audit_days: audit } = entry;
  return { calls: calls ?? null, errors: errors ?? REFUSAL_KEPT_DAYS, audit: audit ?? null };
}

/** All roles by default. The embedded database has one process, which therefore has all of them. */
function readRoles(text: string | undefined, { databaseUrl }: Place): ProcessRoles {
  const named = text?.split(',').map((role) => role.trim()) ?? processRoles;
  const unknown = named.find((role) => !isRole(role));
  if (unknown !== undefined) {
    throw new SettingsError(
      `--role has ${JSON.stringify(unknown)}. It must be one or more of ${processRoles.join(', ')}, separated by commas.`,
    );
  }
  const roles = new Set(processRoles.filter((role) => named.includes(role)));
  if (databaseUrl === null && roles.size < processRoles.length) {
    throw new SettingsError(
      `--role ${text} needs PostgreSQL: the embedded database belongs to one process, which has all roles. ` +
        'Set DATABASE_URL (or database.url), or leave --role out.',
    );
  }
  return roles;
}

/** Credentials are not configured here: the SDK finds them by itself. */
function readProxies(env: Environment): Proxies {
  try {
    return Proxies.fromEnvironment(env);
  } catch (error) {
    if (error instanceof ProxyError) throw new SettingsError(error.message);
    throw error;
  }
}
function readS3(env: Environment, entry: NonNullable<ConfigFile['s3']> | undefined): S3Settings | null {
  const bucket = env.S3_BUCKET || entry?.bucket || '';
  const endpoint = env.S3_ENDPOINT || entry?.endpoint || null;
  if (bucket === '') {
    if (endpoint === null) return null;
    throw new SettingsError('S3_ENDPOINT is set, but S3_BUCKET is not. Set S3_BUCKET too.');
  }
  if (endpoint !== null && !URL.canParse(endpoint)) {
    throw new SettingsError(
      `S3_ENDPOINT is ${JSON.stringify(endpoint)}. It must be a URL like https://host.`,
    );
  }
  const region = env.S3_REGION || env.AWS_REGION || entry?.region || 'us-east-1';
  return { bucket, region, endpoint, prefix: env.S3_PREFIX || entry?.prefix || '' };
}

/** Secrets to mask in logs, in addition to the keys of providers: passwords in URLs, credentials of the bucket and of issuers. */
export function secretsOf({ databaseUrl, redisUrl, proxies, signIn }: Settings, env: Environment): Secret[] {
  const passwords = [databaseUrl, redisUrl].map((url) => passwordIn(url?.reveal() ?? ''));
  const texts = [...passwords, env.AWS_SECRET_ACCESS_KEY ?? ''].map((text) => new Secret(text));
  return [...texts, ...proxies.secrets, ...signIn.issuers.map(({ clientSecret }) => clientSecret)];
}

function passwordIn(url: string): string {
  return URL.canParse(url) ? decodeURIComponent(new URL(url).password) : '';
}

/** A URL without its credentials. */
export function shownAddress(url: Secret): string {
  const { protocol, host } = new URL(url.reveal());
  return `${protocol}//${host}`;
}

function readRedisUrl(url: string): Secret | null {
  if (url === '') return null;
  if (/^rediss?:\/\/./.test(url) && URL.canParse(url)) return new Secret(url);
  // Not shown, because it may contain a password.
  throw new SettingsError(
    'REDIS_URL (or redis.url) must be a URL of the form redis://user:password@host:6379 or rediss://….',
  );
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

function readPublicUrl(value: string | null): string | null {
  if (value === null) return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search + url.hash === '')
    return url.origin;
  throw new SettingsError(
    `The public address is ${JSON.stringify(value)}. It must be like https://tollgate.example.com, without a path.`,
  );
}

/** Built code is one folder deeper than its source. */
function demoConfigFile(): string {
  const [near = '', far = ''] = ['../../', '../../../'].map((up) =>
    fileURLToPath(new URL(`${up}demo/tollgate.yaml`, import.meta.url)),
  );
  return existsSync(near) ? near : far;
}
