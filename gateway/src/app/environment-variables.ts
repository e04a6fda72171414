/** Every environment variable that the program reads, for the reference. A test compares it with the code. */

export interface EnvironmentVariable {
  readonly name: string;
  /** The flag that wins over it; null: there is none. */
  readonly flag: string | null;
  /** The key of `tollgate.yaml` that it replaces; null: there is none. */
  readonly replaces: string | null;
  /** Where it replaces no key. */
  readonly default: string | null;
  readonly meaning: string;
  readonly since: string;
}

type Facts = Partial<Omit<EnvironmentVariable, 'name' | 'meaning'>>;

function variable(name: string, meaning: string, facts: Facts = {}): EnvironmentVariable {
  return { name, flag: null, replaces: null, default: null, since: '0.1.0', ...facts, meaning };
}

/** Those of OpenTelemetry; docs/tracing.md explains them. */
const traceVariables: readonly EnvironmentVariable[] = [
  variable('OTEL_EXPORTER_OTLP_ENDPOINT', 'the collector that gets traces', { default: 'no traces' }),
  variable('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'the complete address for traces, instead'),
  variable('OTEL_EXPORTER_OTLP_HEADERS', 'headers of requests to the collector', { default: 'none' }),
  variable('OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'the same for traces only'),
  variable('OTEL_EXPORTER_OTLP_TIMEOUT', 'milliseconds for a request to the collector', { default: '10000' }),
  variable('OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', 'the same for traces only'),
  variable('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json or http/protobuf; traces are sent as http/json', {
    default: 'http/json',
  }),
  variable('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'the same for traces only'),
  variable('OTEL_BSP_SCHEDULE_DELAY', 'milliseconds that a span waits for others', { default: '5000' }),
  variable('OTEL_BSP_MAX_QUEUE_SIZE', 'spans that may wait', { default: '2048' }),
  variable('OTEL_TRACES_SAMPLER', 'which traces are recorded', { default: 'parentbased_always_on' }),
  variable('OTEL_TRACES_SAMPLER_ARG', 'the share for samplers with a ratio', { default: '1' }),
  variable('OTEL_TRACES_EXPORTER', 'otlp, or none for no traces', { default: 'otlp' }),
  variable('OTEL_SDK_DISABLED', 'true: no traces', { default: 'false' }),
  variable('OTEL_SERVICE_NAME', 'the name of the service in traces', { default: 'tollgate' }),
  variable('OTEL_RESOURCE_ATTRIBUTES', 'attributes of all spans, as key=value,key=value', {
    default: 'none',
  }),
];

export const environmentVariables: readonly EnvironmentVariable[] = [
  variable('PORT', 'the port to listen on', { flag: '--port', replaces: 'server.port' }),
  variable('HOST', 'the address to listen on', { flag: '--host', replaces: 'server.host' }),
  variable('OPS_PORT', 'the port for metrics', { replaces: 'server.ops_port' }),
  variable('OPS_HOST', 'the address for metrics', { replaces: 'server.ops_host' }),
  variable('TOLLGATE_PUBLIC_URL', 'the address for browsers and providers', {
    replaces: 'server.public_url',
  }),
  variable('DATABASE_URL', 'the PostgreSQL database', { replaces: 'database.url' }),
  variable('REDIS_URL', 'Redis for per-minute limits', { replaces: 'redis.url' }),
  variable('S3_BUCKET', 'the bucket for files', { replaces: 's3.bucket' }),
  variable('S3_ENDPOINT', "the address of a store other than Amazon's", { replaces: 's3.endpoint' }),
  variable('S3_REGION', 'the region of the bucket', { replaces: 's3.region' }),
  variable('AWS_REGION', 'the region of the bucket if S3_REGION is not set', { replaces: 's3.region' }),
  variable('S3_PREFIX', 'a text before the name of every object', { replaces: 's3.prefix' }),
  variable(
    'AWS_SECRET_ACCESS_KEY',
    'with AWS_ACCESS_KEY_ID: credentials of the bucket and of Bedrock, as the AWS tools find them',
  ),
  variable('TOLLGATE_CONFIG', 'the configuration file', { flag: '--config', default: './tollgate.yaml' }),
  variable('TOLLGATE_DATA', 'the data folder', { flag: '--data', default: './data' }),
  variable('LOG_LEVEL', 'debug, info, warn, error or silent', { default: 'info; warn in the demo' }),
  variable(
    'TOLLGATE_PLAIN',
    'which insides of Node and V8 are not used: all, or names of docs/performance.md, separated by commas. Not read from .env',
    { default: 'none' },
  ),
  variable('HTTPS_PROXY', 'the forward proxy for https addresses', { default: 'none' }),
  variable('HTTP_PROXY', 'the forward proxy for http addresses', { default: 'none' }),
  variable('NO_PROXY', 'hosts that are reached without a proxy', { default: 'none' }),
  variable('LOGS_SOURCE', 'where the logs of projects are: files or kubernetes', { default: 'files' }),
  variable('LOGS_ROOT', 'the folder that contains pods/', { default: 'logs in the data folder' }),
  variable('LOGS_OWN', 'whether the gateway writes its own log there too', { default: 'true' }),
  variable('LOGS_NAMESPACE', 'the namespace to read', { default: 'all' }),
  variable('KUBECONFIG', 'how to reach the cluster', { default: 'the service account, then ~/.kube/config' }),
  variable('TOLLGATE_DEMO_DATA', 'none: a new demo has no invented usage', {
    default: 'two months of usage',
  }),
  variable('TOLLGATE_SIMULATOR_URL', 'another simulator for the demo', {
    default: 'one that the demo starts',
  }),
  ...traceVariables,
  variable('TOLLGATE_URL', 'the server that commands use', { flag: '--url', default: 'the local one' }),
  variable('TOLLGATE_KEY', 'the key of commands that call models'),
  variable('TOLLGATE_TOKEN', 'the administration token of commands', { default: 'the kept login' }),
  variable('TOLLGATE_SESSION', 'the file of the kept login, or a session itself', {
    default: 'session.json in the configuration folder of the user',
  }),
  variable('TOLLGATE_SPACE', 'the space that commands work on', {
    flag: '--space',
    default: 'the only one; in the demo: demo',
  }),
  variable('BROWSER', 'the program with which "tollgate login" opens an address', {
    default: 'the browser of the desktop',
  }),
  variable('XDG_CONFIG_HOME', 'the configuration folder of the user', { default: '~/.config' }),
  variable('MALLOC_TRIM_THRESHOLD_', 'when freed memory returns to the system (Linux)', {
    default: '131072',
  }),
  variable('MALLOC_MMAP_THRESHOLD_', 'from which size memory is mapped on its own (Linux)', {
    default: '32768',
  }),
];
