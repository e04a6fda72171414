/**
 * Reads `tollgate.yaml`: expands `${VAR}`, rejects unknown keys by name, and returns typed values. Every
 * scalar is read as text first, so that a price never passes through a JavaScript number.
 */
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { LineCounter, parseDocument } from 'yaml';
import { Shape, type ShapeError } from '../contract/check-shape.ts';
import { capabilities } from '../contract/models.ts';
import { checkBothSides } from './check-both-sides.ts';
import { checkPrices } from './check-prices.ts';
import { ConfigError } from './config-error.ts';
import { atLine, keepLines, lineOf } from './config-line.ts';
import { HttpVideoEntry } from './http-video.ts';
import { batchEngineNames, dialects, modelEndpoints, vendorNames, videoInputs } from './model.ts';
import { nearest } from './nearest.ts';
import { PriceSheetEntry, ProviderSheetEntry, priceForm } from './price-entry.ts';
import { RetentionEntry } from './retention-entry.ts';
import { SignInEntry } from './sign-in-entry.ts';

const closed = { additionalProperties: false } as const;
const WholeNumber = Type.Integer({ minimum: 0 });

const ProviderEntry = Type.Object(
  {
    dialect: Type.Enum([...dialects]),
    vendor: Type.Optional(Type.Enum([...vendorNames])),
    region: Type.Optional(Type.String()),
    base_url: Type.String({ pattern: '^https?://' }),
    api_key: Type.Optional(Type.String()),
    aws_profile: Type.Optional(Type.String({ minLength: 1 })),
    simulated: Type.Optional(Type.Boolean()),
    propagate_trace: Type.Optional(Type.Boolean()),
    video: Type.Optional(HttpVideoEntry),
    only_if: Type.Optional(Type.String()),
  },
  closed,
);

const RouteEntry = Type.Object(
  {
    provider: Type.String(),
    model: Type.String({ minLength: 1 }),
    priority: Type.Optional(WholeNumber),
    weight: Type.Optional(WholeNumber),
  },
  closed,
);

const ModelEntry = Type.Object(
  {
    endpoints: Type.Optional(Type.Array(Type.Enum([...modelEndpoints]), { minItems: 1 })),
    capabilities: Type.Optional(Type.Array(Type.Enum([...capabilities]))),
    /** `true` means `own`. */
    batch: Type.Optional(Type.Enum(['true', 'false', ...batchEngineNames])),
    batch_requires: Type.Optional(Type.Enum(['web_search'])),
    context_tokens: Type.Optional(WholeNumber),
    output_tokens_max: Type.Optional(WholeNumber),
    output_cap_field: Type.Optional(Type.Enum(['max_tokens', 'max_completion_tokens'])),
    embeddings: Type.Optional(
      Type.Object(
        {
          input_tokens_max: Type.Optional(WholeNumber),
          inputs_max: Type.Optional(WholeNumber),
          total_tokens_max: Type.Optional(WholeNumber),
        },
        closed,
      ),
    ),
    images: Type.Optional(
      Type.Object(
        {
          sizes: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
          qualities: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
          backgrounds: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
          size_default: Type.Optional(Type.String()),
          quality_default: Type.Optional(Type.String()),
          images_max: Type.Optional(Type.Integer({ minimum: 1 })),
        },
        closed,
      ),
    ),
    video: Type.Optional(
      Type.Object(
        {
          seconds: Type.Optional(Type.Array(Type.Integer({ minimum: 1 }), { minItems: 1 })),
          seconds_default: Type.Optional(Type.Integer({ minimum: 1 })),
          resolutions: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
          aspect_ratios: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
          inputs: Type.Optional(Type.Array(Type.Enum([...videoInputs]))),
          references_max: Type.Optional(Type.Integer({ minimum: 1 })),
          videos_max: Type.Optional(Type.Integer({ minimum: 1 })),
        },
        closed,
      ),
    ),
    added: Type.Optional(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })),
    spaces: Type.Optional(Type.Array(Type.String())),
    routes: Type.Array(RouteEntry, { minItems: 1 }),
  },
  closed,
);

export const ConfigFile = Type.Object(
  {
    server: Type.Optional(
      Type.Object(
        {
          host: Type.Optional(Type.String()),
          port: Type.Optional(WholeNumber),
          ops_host: Type.Optional(Type.String()),
          ops_port: Type.Optional(WholeNumber),
          public_url: Type.Optional(Type.String({ pattern: '^https?://[^/?#]+/?$' })),
          trust_proxy: Type.Optional(Type.Boolean()),
          /** Hosts that callers' URLs may point to although they are not on the public internet. */
          resolve_addresses: Type.Optional(Type.Boolean()),
          fetch_allow: Type.Optional(Type.Array(Type.String({ pattern: '^[A-Za-z0-9._:-]+$' }))),
        },
        closed,
      ),
    ),
    database: Type.Optional(Type.Object({ url: Type.Optional(Type.String()) }, closed)),
    s3: Type.Optional(
      Type.Object(
        {
          bucket: Type.String({ minLength: 1 }),
          endpoint: Type.Optional(Type.String()),
          region: Type.Optional(Type.String()),
          prefix: Type.Optional(Type.String()),
        },
        closed,
      ),
    ),
    retention: Type.Optional(RetentionEntry),
    redis: Type.Optional(Type.Object({ url: Type.Optional(Type.String()) }, closed)),
    limits: Type.Optional(
      Type.Object(
        {
          json_body_bytes: Type.Optional(WholeNumber),
          json_depth: Type.Optional(WholeNumber),
          json_keys: Type.Optional(WholeNumber),
          json_values: Type.Optional(WholeNumber),
          json_containers: Type.Optional(WholeNumber),
          multipart_body_bytes: Type.Optional(WholeNumber),
          bytes_in_flight: Type.Optional(WholeNumber),
          bytes_in_flight_per_space: Type.Optional(WholeNumber),
          bytes_in_flight_per_key: Type.Optional(WholeNumber),
          bytes_wait_ms: Type.Optional(WholeNumber),
          streams_per_key: Type.Optional(WholeNumber),
          streams_per_space: Type.Optional(WholeNumber),
          uploads_per_key: Type.Optional(WholeNumber),
          uploads_per_space: Type.Optional(WholeNumber),
          log_streams_per_person: Type.Optional(WholeNumber),
          log_streams_per_project: Type.Optional(WholeNumber),
          messages: Type.Optional(WholeNumber),
          client_idle_ms: Type.Optional(WholeNumber),
          client_request_ms: Type.Optional(WholeNumber),
          upstream_connect_ms: Type.Optional(WholeNumber),
          upstream_silence_ms: Type.Optional(WholeNumber),
          upstream_body_bytes: Type.Optional(WholeNumber),
          call_total_ms: Type.Optional(WholeNumber),
          stream_total_ms: Type.Optional(WholeNumber),
          transfer_total_ms: Type.Optional(WholeNumber),
          shutdown_wait_ms: Type.Optional(WholeNumber),
          shutdown_idle_ms: Type.Optional(WholeNumber),
          drain_ms: Type.Optional(WholeNumber),
          batch_lines: Type.Optional(WholeNumber),
          batch_poll_ms: Type.Optional(WholeNumber),
          batch_unknown_ms: Type.Optional(WholeNumber),
          video_poll_ms: Type.Optional(WholeNumber),
          video_unknown_ms: Type.Optional(WholeNumber),
          kept_response_bytes: Type.Optional(WholeNumber),
          kept_space_bytes: Type.Optional(WholeNumber),
        },
        closed,
      ),
    ),
    sign_in: Type.Optional(SignInEntry),
    providers: Type.Record(Type.String({ pattern: '^[a-z0-9][a-z0-9_-]*$' }), ProviderEntry),
    models: Type.Record(Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._:/-]*$' }), ModelEntry),
    prices: Type.Optional(PriceSheetEntry),
    provider_prices: Type.Optional(ProviderSheetEntry),
  },
  closed,
);
export type ConfigFile = Static<typeof ConfigFile>;

const shape = new Shape(ConfigFile);

export type Environment = Readonly<Record<string, string | undefined>>;

export function readConfigFile(text: string, env: Environment): ConfigFile {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    ...{ schema: 'failsafe', merge: true, lineCounter: lines, prettyErrors: true },
  });
  const [syntax] = document.errors;
  if (syntax !== undefined) throw new ConfigError(`not valid YAML: ${syntax.message.split('\n')[0]}`);
  const find = (path: string): number | null => lineOf(document, lines, path);
  try {
    const content = readContent(document.toJS() ?? {}, env);
    keepLines(content, find);
    return content;
  } catch (error) {
    throw atLine(error, find);
  }
}

function readContent(content: unknown, env: Environment): ConfigFile {
  const value = typed(expand(content, env, ''), ConfigFile, '');
  const error = shape.error(value);
  if (error !== null) throw ConfigError.at(error.path || 'the file', plainMessage(error));
  const file = value as ConfigFile;
  if (file.prices !== undefined) checkPrices(file.prices.models, Object.keys(file.models));
  checkBothSides(file);
  return file;
}

/** Without the regular expression that a text does not match. */
function plainMessage({ path, message }: ShapeError): string {
  if (!message.startsWith('must match pattern')) return message;
  return /^(provider_)?prices\./.test(path) ? priceForm(path) : 'has a wrong form';
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

function expand(value: unknown, env: Environment, path: string): unknown {
  if (Array.isArray(value)) return value.map((item, i) => expand(item, env, `${path}[${i}]`));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, expand(item, env, join(path, key))]),
    );
  }
  if (typeof value !== 'string') return value;
  return value.replace(VARIABLE, (_, name: string, fallback: string | undefined) => {
    const found = env[name] || fallback;
    if (found === undefined) {
      throw ConfigError.at(
        path,
        `needs the environment variable ${name}; set it, or write \${${name}:-default}`,
      );
    }
    return found;
  });
}

/** Converts each text to the type in the schema, and rejects unknown keys by name. */
function typed(value: unknown, schema: TSchema, path: string): unknown {
  if (Type.IsArray(schema) && Array.isArray(value)) {
    return value.map((item, i) => typed(item, schema.items, `${path}[${i}]`));
  }
  if (Type.IsUnion(schema)) {
    const fitting = schema.anyOf.find((one) => sameKind(one, value));
    return fitting === undefined ? value : typed(value, fitting, path);
  }
  if (Type.IsObject(schema) && isMapping(value)) return typedObject(value, schema, path);
  if (Type.IsRecord(schema) && isMapping(value)) {
    const [item] = Object.values(schema.patternProperties) as TSchema[];
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => [key, typed(entry, item as TSchema, join(path, key))]),
    );
  }
  if (Type.IsInteger(schema) && typeof value === 'string' && /^\d{1,15}$/.test(value)) return Number(value);
  if (Type.IsLiteral(schema) && value === String(schema.const)) return schema.const;
  if (Type.IsBoolean(schema) && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

/** Whether a branch of a union is meant: a list, a mapping or a text. */
function sameKind(schema: TSchema, value: unknown): boolean {
  if (Array.isArray(value)) return Type.IsArray(schema);
  return isMapping(value) === (Type.IsObject(schema) || Type.IsRecord(schema));
}

function typedObject(value: Record<string, unknown>, schema: TObject, path: string): unknown {
  const known = schema.properties as Record<string, TSchema>;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const property = known[key];
      if (property === undefined) {
        const guess = nearest(key, Object.keys(known));
        const hint =
          guess === null ? `known here: ${Object.keys(known).join(', ')}` : `did you mean ${guess}?`;
        const place = join(path, key);
        throw new ConfigError(`unknown key ${place}: ${hint}`, place);
      }
      return [key, typed(item, property, join(path, key))];
    }),
  );
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
