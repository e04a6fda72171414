/** The shape of `tollgate.yaml`, declared once: types, checks, the reference and the schema for editors follow from it. */
import { type Static, Type } from 'typebox';
import { ModelEntry } from '../catalog/model-entry.ts';
import { ProviderEntry } from '../catalog/provider-entry.ts';
import { ALIAS_NAME } from '../contract/administration/words.ts';
import { MoneyEntry } from '../price-sheets/money-entry.ts';
import { PriceSheetEntry, ProviderSheetEntry } from '../price-sheets/price-entry.ts';
import { about, closed } from '../yaml/about-key.ts';
import { AlertsEntry, SmtpEntry } from './alerts-entry.ts';
import { ApiEntry } from './api-entry.ts';
import { serverDefaults } from './config-defaults.ts';
import { LimitsEntry } from './limits-entry.ts';
import { MeteringEntry } from './metering-entry.ts';
import { RetentionEntry } from './retention-entry.ts';
import { SignInEntry } from './sign-in-entry.ts';
import { WorkloadIdentityEntry } from './workload-identity-entry.ts';

const port = (meaning: string, value: number) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535, ...about(meaning, { default: value }) }));

const ServerEntry = Type.Object(
  {
    host: Type.Optional(
      Type.String(about('The address to listen on.', { default: serverDefaults.host, example: '0.0.0.0' })),
    ),
    port: port('The port to listen on; 0: any free one.', serverDefaults.port),
    ops_host: Type.Optional(
      Type.String(
        about('The address for /metrics.', {
          default: serverDefaults.ops_host,
          example: '0.0.0.0',
        }),
      ),
    ),
    ops_port: port('The port for /metrics.', serverDefaults.ops_port),
    public_url: Type.Optional(
      Type.String({
        pattern: '^https?://[^/?#]+/?$',
        ...about(
          'The address for browsers and providers, without a path. With https, cookies are sent over https only and begin with __Host-. ' +
            'Links to media start with it, and providers can fetch references from us only if it is set.',
          { otherwise: 'the listening address', example: 'https://tollgate.example.com' },
        ),
      }),
    ),
    trust_proxy: Type.Optional(
      Type.Boolean(
        about('True trusts X-Forwarded-For and X-Forwarded-Proto of the last proxy.', {
          default: serverDefaults.trust_proxy,
        }),
      ),
    ),
    resolve_addresses: Type.Optional(
      Type.Boolean(
        about(
          'False leaves resolving the names in image and file addresses to the provider, for a gateway without DNS.',
          { default: serverDefaults.resolve_addresses },
        ),
      ),
    ),
    fetch_allow: Type.Optional(
      Type.Array(
        Type.String({ pattern: '^[A-Za-z0-9._:-]+$' }),
        about("Hosts that callers' addresses may name although they are not on the public internet.", {
          otherwise: 'none',
          example: ['media.internal'],
        }),
      ),
    ),
  },
  { ...closed, ...about('Where the gateway listens, and how it is reached.') },
);

const DatabaseEntry = Type.Object(
  {
    url: Type.Optional(
      Type.String(
        about('A PostgreSQL database, 15 or newer.', {
          otherwise: 'the embedded database, in the data folder',
          example: '${DATABASE_URL}',
        }),
      ),
    ),
  },
  { ...closed, ...about('Where spaces, keys, calls and the journal are stored.') },
);

const S3Entry = Type.Object(
  {
    bucket: Type.String({ minLength: 1, ...about('The name of the bucket.', { example: 'tollgate-files' }) }),
    endpoint: Type.Optional(
      Type.String(
        about("The address of a store other than Amazon's.", {
          otherwise: "Amazon's",
          example: 'https://minio.internal:9000',
        }),
      ),
    ),
    region: Type.Optional(
      Type.String(
        about('The region of the bucket.', { default: serverDefaults.region, example: 'ap-northeast-2' }),
      ),
    ),
    prefix: Type.Optional(
      Type.String(about('A text before the name of every object.', { otherwise: 'none', example: 'prod-' })),
    ),
  },
  {
    ...closed,
    ...about('The bucket for batch files, references and media. Without it they are in the data folder.'),
  },
);

const RedisEntry = Type.Object(
  {
    url: Type.Optional(
      Type.String(
        about('Redis 6 or newer, or Valkey: redis:// or rediss:// (TLS).', {
          otherwise: 'none: processes exchange their counts through the database',
          example: '${REDIS_URL}',
        }),
      ),
    ),
  },
  { ...closed, ...about('Redis for exact per-minute limits across processes.') },
);

export const ConfigFile = Type.Object(
  {
    server: Type.Optional(ServerEntry),
    api: Type.Optional(ApiEntry),
    database: Type.Optional(DatabaseEntry),
    s3: Type.Optional(S3Entry),
    redis: Type.Optional(RedisEntry),
    limits: Type.Optional(LimitsEntry),
    metering: Type.Optional(MeteringEntry),
    retention: Type.Optional(RetentionEntry),
    sign_in: Type.Optional(SignInEntry),
    workload_identity: Type.Optional(WorkloadIdentityEntry),
    alerts: Type.Optional(AlertsEntry),
    smtp: Type.Optional(SmtpEntry),
    providers: Type.Record(Type.String({ pattern: '^[a-z0-9][a-z0-9_-]*$' }), ProviderEntry, {
      ...about('The providers, by a name of your choice.'),
      'x-names': 'lower-case letters, digits, "-" and "_"',
    }),
    models: Type.Record(Type.String({ pattern: '^[A-Za-z0-9@][A-Za-z0-9._:/@+-]*$' }), ModelEntry, {
      ...about('The models, by the code that callers use.'),
      'x-names': 'letters, digits and . _ : / @ + -',
    }),
    aliases: Type.Optional(
      Type.Record(
        Type.String({ pattern: ALIAS_NAME.source }),
        Type.String(about('The code of the model that answers.', { example: 'gpt-5-mini' })),
        {
          ...about('Other names for models, in all spaces. A space may add its own.', {
            otherwise: 'none',
          }),
          'x-names': 'letters, digits and . _ -',
        },
      ),
    ),
    prices: Type.Optional(PriceSheetEntry),
    provider_prices: Type.Optional(ProviderSheetEntry),
    money: Type.Optional(MoneyEntry),
  },
  { ...closed, ...about('The configuration of Tollgate.') },
);
export type ConfigFile = Static<typeof ConfigFile>;
