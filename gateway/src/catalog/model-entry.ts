/** A model in `tollgate.yaml`, as it is written. */
import { type Static, Type } from 'typebox';
import { capabilities } from '../contract/models.ts';
import { modelEndpoints } from '../contract/paid-endpoints.ts';
import { about, closed } from '../yaml/about-key.ts';
import { batchEngineNames, fallbackReasons, routeStrategies, videoInputs } from './model.ts';
import { modelDefaults } from './model-defaults.ts';
import { TakesEntry } from './takes-entry.ts';

const RouteEntry = Type.Object(
  {
    provider: Type.String(about('The name of a provider above.', { example: 'openai' })),
    model: Type.String({
      minLength: 1,
      ...about('The name of the model at the provider.', { example: 'gpt-5-mini' }),
    }),
    priority: Type.Optional(
      Type.Integer({
        minimum: 0,
        ...about('Routes with the lowest number are tried first.', { default: modelDefaults.priority }),
      }),
    ),
    weight: Type.Optional(
      Type.Integer({
        minimum: 0,
        ...about('The share of conversations among routes of the same priority.', {
          default: modelDefaults.weight,
        }),
      }),
    ),
    concurrency_max: Type.Optional(
      Type.Integer({
        minimum: 1,
        ...about(
          'Calls of one process that the route takes at the same time. Others wait, or use the next route.',
          {
            otherwise: 'no limit',
            example: 50,
          },
        ),
      }),
    ),
    takes: Type.Optional(TakesEntry),
  },
  { ...closed, ...about('One way to reach the model.') },
);

const FallbackEntry = Type.Object(
  {
    model: Type.String(about('The code of another text model.', { example: 'gpt-5-mini' })),
    on: Type.Array(Type.Enum([...fallbackReasons]), {
      minItems: 1,
      ...about('When it answers instead.', { example: ['outage', 'rate_limit'] }),
    }),
  },
  { ...closed, ...about('Another model that answers if this one cannot.') },
);

const decidedByProvider = { otherwise: 'the provider decides' };

const count = (meaning: string, example: number) =>
  Type.Optional(Type.Integer({ minimum: 0, ...about(meaning, { ...decidedByProvider, example }) }));

const texts = (meaning: string, example: readonly string[]) =>
  Type.Optional(
    Type.Array(Type.String(), { minItems: 1, ...about(meaning, { ...decidedByProvider, example }) }),
  );

const atLeastOne = (meaning: string, value: number) =>
  Type.Optional(Type.Integer({ minimum: 1, ...about(meaning, { default: value }) }));

const EmbeddingOptions = Type.Object(
  {
    input_tokens_max: count('Tokens of one input.', 8192),
    inputs_max: count('Inputs of one call.', 2048),
    total_tokens_max: count('Tokens of all inputs of one call.', 300_000),
  },
  { ...closed, ...about('Limits of an embeddings model.') },
);

const ImageModelOptions = Type.Object(
  {
    sizes: texts('The sizes that callers may choose.', ['1024x1024', '1536x1024']),
    qualities: texts('The qualities that callers may choose.', ['low', 'high']),
    backgrounds: texts('The backgrounds that callers may choose.', ['opaque', 'transparent']),
    size_default: Type.Optional(
      Type.String(
        about('The size that the provider takes if the caller does not choose; decides on the price.', {
          otherwise: 'unknown',
          example: '1024x1024',
        }),
      ),
    ),
    quality_default: Type.Optional(
      Type.String(
        about('The quality that the provider takes if the caller does not choose; decides on the price.', {
          otherwise: 'unknown',
          example: 'high',
        }),
      ),
    ),
    images_max: atLeastOne('Images of one call.', modelDefaults.imagesMax),
  },
  { ...closed, ...about('Options of an image model.') },
);

const VideoModelOptions = Type.Object(
  {
    seconds: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1 }), {
        minItems: 1,
        ...about('The lengths that callers may choose.', { ...decidedByProvider, example: [5, 10] }),
      }),
    ),
    seconds_default: Type.Optional(
      Type.Integer({
        minimum: 1,
        ...about('The length that is sent if the caller does not choose.', {
          otherwise: 'the first of seconds',
          example: 5,
        }),
      }),
    ),
    resolutions: texts('The resolutions that callers may choose.', ['720p', '1080p']),
    aspect_ratios: texts('The aspect ratios that callers may choose.', ['16:9', '9:16']),
    inputs: Type.Optional(
      Type.Array(
        Type.Enum([...videoInputs]),
        about('The media inputs that the model takes.', { otherwise: 'none', example: ['image'] }),
      ),
    ),
    references_max: atLeastOne('Reference images of one video.', modelDefaults.referencesMax),
    videos_max: atLeastOne('Videos of one request.', modelDefaults.videosMax),
  },
  { ...closed, ...about('Options of a video model.') },
);

export const ModelEntry = Type.Object(
  {
    endpoints: Type.Optional(
      Type.Array(Type.Enum([...modelEndpoints]), {
        minItems: 1,
        ...about('Where the model can be called.', {
          otherwise: 'chat, responses and messages; not messages if it makes images',
          example: ['chat', 'responses'],
        }),
      }),
    ),
    capabilities: Type.Optional(
      Type.Array(
        Type.Enum([...capabilities]),
        about('What the model can do. A call that needs something else is rejected.', {
          default: modelDefaults.capabilities,
          example: ['vision', 'tools', 'json_mode', 'json_schema', 'streaming'],
        }),
      ),
    ),
    batch: Type.Optional(
      Type.Enum(
        ['true', 'false', ...batchEngineNames],
        about(
          'Whether batches may use it, and where their lines run: in our workers (own, true) or at the provider.',
          {
            default: 'false',
            example: 'provider',
          },
        ),
      ),
    ),
    batch_requires: Type.Optional(
      Type.Enum(['web_search'], about('A tool that every line of a batch must use.', { otherwise: 'none' })),
    ),
    context_tokens: Type.Optional(
      Type.Integer({
        minimum: 0,
        ...about('Tokens of prompt and answer together. Prompts that cannot fit are rejected.', {
          otherwise: 'the provider decides',
          example: 400_000,
        }),
      }),
    ),
    output_tokens_max: count('Tokens of an answer.', 128_000),
    output_cap_field: Type.Optional(
      Type.Enum(
        ['max_tokens', 'max_completion_tokens'],
        about('The chat field in which the model takes the cap on its output. The other one is rejected.', {
          otherwise: 'by the names of its models at the providers, else both are passed on',
        }),
      ),
    ),
    embeddings: Type.Optional(EmbeddingOptions),
    images: Type.Optional(ImageModelOptions),
    video: Type.Optional(VideoModelOptions),
    added: Type.Optional(
      Type.String({
        pattern: '^\\d{4}-\\d{2}-\\d{2}$',
        ...about('The day of the model in GET /v1/models.', {
          otherwise: 'the day of the last change of the file',
          example: '2026-11-16',
        }),
      }),
    ),
    spaces: Type.Optional(
      Type.Array(
        Type.String(),
        about('The names of the spaces that see the model.', { otherwise: 'all', example: ['research'] }),
      ),
    ),
    strategy: Type.Optional(
      Type.Enum(
        [...routeStrategies],
        about('Which of the routes with the same priority is tried first.', {
          default: modelDefaults.strategy,
        }),
      ),
    ),
    fallbacks: Type.Optional(
      Type.Array(FallbackEntry, {
        minItems: 1,
        ...about('Other models that answer if this one cannot, in the order in which they are tried.', {
          otherwise: 'none',
        }),
      }),
    ),
    routes: Type.Array(RouteEntry, { minItems: 1, ...about('The ways to reach the model.') }),
  },
  { ...closed, ...about('One model.') },
);
export type ModelEntry = Static<typeof ModelEntry>;
