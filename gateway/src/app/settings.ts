/** What a process is told: flags first, then the environment, then tollgate.yaml, then defaults. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { S3Settings } from '../blobs/s3.ts';
import type { ConfigFile, Environment } from '../catalog/config-file.ts';
import { Secret } from '../kernel/secret.ts';
import { Proxies, ProxyError } from '../net/proxies.ts';
import type { LogLevel } from '../telemetry/log.ts';
import { type Limits, readLimits } from './limits.ts';

/** Where an installation is: enough for the commands that do not serve. */
export interface Place {
  readonly dataFolder: string;
  readonly databaseUrl: Secret | null;
}

export interface Settings extends Place {
  /** The bucket that files are kept in; null is the data folder. */
  readonly s3: S3Settings | null;
  /** Where limits a minute are counted for all processes; null: they tell each other through the database. */
  readonly redisUrl: Secret | null;
  readonly configFile: string;
  /** No configuration of its own: the demo catalogue, the simulator, loopback only. */
  readonly demo: boolean;
  readonly host: string;
  readonly port: number;
  readonly opsHost: string;
  readonly opsPort: number;
  /** Where people's browsers find it, without a slash at the end; null: where it listens. */
  readonly publicUrl: string | null;
  /** The last proxy before us is ours: its X-Forwarded-For and X-Forwarded-Proto are believed. */
  readonly trustProxy: boolean;
  /** Hosts that callers' addresses may name though they are not on the public internet. */
  readonly fetchAllow: readonly string[];
  /** Whether names in addresses that a provider will fetch are resolved before they are passed on. */
  readonly resolveAddresses: boolean;
  /** Through which requests to providers, to media and to the bucket go. */
  readonly proxies: Proxies;
  readonly logLevel: LogLevel;
  readonly limits: Limits;
}

export interface Flags {
  readonly config?: string;
  readonly data?: string;
  readonly port?: string;
  readonly host?: string;
}

export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

const LOG_LEVELS: readonly string[] = ['debug', 'info', 'warn', 'error', 'silent'];

/** The file to read, and whether it is the demo's own. */
export function findConfig(flags: Flags, env: Environment): { file: string; demo: boolean } {
  const named = flags.config ?? env.TOLLGATE_CONFIG;
  if (named !== undefined && !existsSync(named)) {
    throw new SettingsError(`There is no configuration file ${resolve(named)}. "tollgate init" writes one.`);
  }
  const file = resolve(named ?? 'tollgate.yaml');
  if (existsSync(file)) return { file, demo: false };
  return { file: demoConfigFile(), demo: true };
}

export function findPlace(flags: Flags, env: Environment, file?: ConfigFile): Place {
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
  const sent = scheme === undefined ? '' : ` It begins with ${scheme}://; only PostgreSQL is supported.`;
  // The rest is not shown: it may hold a password.
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
      `LOG_LEVEL is ${JSON.stringify(logLevel)}; it is one of ${LOG_LEVELS.join(', ')}.`,
    );
  }
  return {
    ...findPlace(flags, env, config.content),
    s3: readS3(env, config.content.s3),
    configFile: config.file,
    demo: config.demo,
    redisUrl: readRedisUrl(env.REDIS_URL || config.content.redis?.url || ''),
    host,
    port: readPort('PORT', flags.port ?? env.PORT ?? server.port ?? 8080),
    opsHost: env.OPS_HOST ?? server.ops_host ?? '127.0.0.1',
    opsPort: readPort('OPS_PORT', env.OPS_PORT ?? server.ops_port ?? 9464),
    publicUrl: readPublicUrl(env.TOLLGATE_PUBLIC_URL || server.public_url || null),
    trustProxy: server.trust_proxy ?? false,
    fetchAllow: server.fetch_allow ?? [],
    resolveAddresses: server.resolve_addresses ?? true,
    proxies: readProxies(env),
    logLevel: logLevel as LogLevel,
    limits: readLimits(config.content.limits),
  };
}

function readProxies(env: Environment): Proxies {
  try {
    return Proxies.fromEnvironment(env);
  } catch (error) {
    if (error instanceof ProxyError) throw new SettingsError(error.message);
    throw error;
  }
}

/** Who may use the bucket is not said here: the SDK finds its credentials by itself. */
function readS3(env: Environment, entry: NonNullable<ConfigFile['s3']> | undefined): S3Settings | null {
  const bucket = env.S3_BUCKET || entry?.bucket || '';
  const endpoint = env.S3_ENDPOINT || entry?.endpoint || null;
  if (bucket === '') {
    if (endpoint === null) return null;
    throw new SettingsError('S3_ENDPOINT is set, but S3_BUCKET is not; name the bucket too.');
  }
  if (endpoint !== null && !URL.canParse(endpoint)) {
    throw new SettingsError(
      `S3_ENDPOINT is ${JSON.stringify(endpoint)}; it must be an address like https://host.`,
    );
  }
  const region = env.S3_REGION || env.AWS_REGION || entry?.region || 'us-east-1';
  return { bucket, region, endpoint, prefix: env.S3_PREFIX || entry?.prefix || '' };
}

/** What must not be logged, beside the keys of providers: passwords in addresses, and what opens the bucket. */
export function secretsOf({ databaseUrl, redisUrl, proxies }: Settings, env: Environment): Secret[] {
  const passwords = [databaseUrl, redisUrl].map((url) => passwordIn(url?.reveal() ?? ''));
  const texts = [...passwords, env.AWS_SECRET_ACCESS_KEY ?? ''].map((text) => new Secret(text));
  return [...texts, ...proxies.secrets];
}

function passwordIn(url: string): string {
  return URL.canParse(url) ? decodeURIComponent(new URL(url).password) : '';
}

/** An address without who opens it. */
export function shownAddress(url: Secret): string {
  const { protocol, host } = new URL(url.reveal());
  return `${protocol}//${host}`;
}

function readRedisUrl(url: string): Secret | null {
  if (url === '') return null;
  if (/^rediss?:\/\/./.test(url) && URL.canParse(url)) return new Secret(url);
  // Not shown: it may hold a password.
  throw new SettingsError(
    'REDIS_URL (or redis.url) is not an address of the form redis://user:password@host:6379 or rediss://….',
  );
}

function readPort(name: string, value: string | number): number {
  const port = Number(value);
  if (!Number.isInteger(port) || port < 0 || port > 65_535 || value === '') {
    throw new SettingsError(
      `${name} is ${JSON.stringify(value)}; it must be a whole number from 0 to 65535.`,
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
    `The public address is ${JSON.stringify(value)}; it must be like https://tollgate.example.com, with no path.`,
  );
}

/** Built code lies one folder deeper than its source. */
function demoConfigFile(): string {
  const [near = '', far = ''] = ['../../', '../../../'].map((up) =>
    fileURLToPath(new URL(`${up}demo/tollgate.yaml`, import.meta.url)),
  );
  return existsSync(near) ? near : far;
}
