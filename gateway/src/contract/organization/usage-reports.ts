/**
 * The usage reports in the form of OpenAI's API, once: their paths, what they count, and what they can be grouped by and
 * filtered to. The queries, the answers, the endpoints and the table in docs/organization-usage.md follow from here.
 */

/** What results can be grouped by, and what the field of a result then is. */
export const groupings = {
  project_id: 'The id of the space',
  user_id: 'The id of the member whose personal key called; null for shared keys',
  api_key_id: 'The id of the key',
  model: 'The model code',
  batch: 'Whether they were lines of batches',
  service_tier: 'The service tier that the provider served them in; `default` if it reported none',
  line_item: 'What was charged: the model code',
} as const;
export type Grouping = keyof typeof groupings;

/** What can be counted of calls. Names of counts that are columns of the database are those of the columns. */
export const usageCounts = [
  'input_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'output_tokens',
  'image_input_tokens',
  'audio_input_tokens',
  'cached_image_input_tokens',
  'cached_audio_input_tokens',
  'image_output_tokens',
  'audio_output_tokens',
  'images',
  'web_searches',
  'file_searches',
  'code_sessions',
] as const;
export type UsageCount = (typeof usageCounts)[number];

/** Calls that make something, or calls in which a provider ran a tool. Null: no call is counted. */
export type CountedCalls =
  | { readonly makes: 'text' | 'vectors' | 'images' }
  | { readonly runs: UsageCount }
  | null;

/** A field of a result: the counts that it adds up, and those that it leaves out. */
export interface UsageField {
  readonly adds: readonly UsageCount[] | 'requests';
  readonly without?: readonly UsageCount[];
  readonly description: string;
}

export interface OrganizationReport {
  readonly path: string;
  /** In `object` of its results. */
  readonly object: string;
  readonly summary: string;
  readonly of: CountedCalls;
  readonly fields: Readonly<Record<string, UsageField>>;
  readonly groups: readonly Grouping[];
}

const one = (count: UsageCount, description: string): UsageField => ({ adds: [count], description });
const requests: UsageField = { adds: 'requests', description: 'Requests, without those that failed.' };
const caller = ['project_id', 'user_id', 'api_key_id'] as const;
const nothing = { of: null, groups: [...caller, 'model'] } as const;
const never = (description: string): UsageField => ({ adds: [], description });

export const usageReports = {
  completions: {
    path: '/v1/organization/usage/completions',
    object: 'organization.usage.completions.result',
    summary: 'Get the tokens and requests of text models, by time.',
    of: { makes: 'text' },
    fields: {
      input_tokens: one('input_tokens', 'Input tokens, with those read from or written to a cache.'),
      output_tokens: one('output_tokens', 'Output tokens, with those of reasoning.'),
      input_cached_tokens: one('cached_input_tokens', 'Input tokens that were read from a cache.'),
      input_audio_tokens: {
        adds: ['audio_input_tokens'],
        without: ['cached_audio_input_tokens'],
        description: 'Input tokens of audio that were not cached.',
      },
      output_audio_tokens: one('audio_output_tokens', 'Output tokens of audio.'),
      input_cache_write_tokens: one('cache_write_tokens', 'Input tokens that were written to a cache.'),
      input_uncached_tokens: {
        adds: ['input_tokens'],
        without: ['cached_input_tokens', 'cache_write_tokens'],
        description: 'Input tokens that were neither read from nor written to a cache.',
      },
      input_text_tokens: {
        adds: ['input_tokens', 'cached_image_input_tokens', 'cached_audio_input_tokens'],
        without: ['cached_input_tokens', 'cache_write_tokens', 'image_input_tokens', 'audio_input_tokens'],
        description: 'Those of them that are text.',
      },
      input_image_tokens: {
        adds: ['image_input_tokens'],
        without: ['cached_image_input_tokens'],
        description: 'Input tokens of images that were not cached.',
      },
      input_cached_text_tokens: {
        adds: ['cached_input_tokens'],
        without: ['cached_image_input_tokens', 'cached_audio_input_tokens'],
        description: 'Cached input tokens of text.',
      },
      input_cached_audio_tokens: one('cached_audio_input_tokens', 'Cached input tokens of audio.'),
      input_cached_image_tokens: one('cached_image_input_tokens', 'Cached input tokens of images.'),
      output_text_tokens: {
        adds: ['output_tokens'],
        without: ['image_output_tokens', 'audio_output_tokens'],
        description: 'Output tokens of text.',
      },
      output_image_tokens: one('image_output_tokens', 'Output tokens of images.'),
      num_model_requests: requests,
    },
    groups: [...caller, 'model', 'batch', 'service_tier'],
  },
  embeddings: {
    path: '/v1/organization/usage/embeddings',
    object: 'organization.usage.embeddings.result',
    summary: 'Get the tokens and requests of embeddings, by time.',
    of: { makes: 'vectors' },
    fields: { input_tokens: one('input_tokens', 'Input tokens.'), num_model_requests: requests },
    groups: [...caller, 'model', 'batch'],
  },
  images: {
    path: '/v1/organization/usage/images',
    object: 'organization.usage.images.result',
    summary: 'Get the images and requests of image models, by time.',
    of: { makes: 'images' },
    fields: {
      images: one('images', 'Images that were generated or edited.'),
      num_model_requests: requests,
    },
    groups: [...caller, 'model'],
  },
  webSearches: {
    path: '/v1/organization/usage/web_search_calls',
    object: 'organization.usage.web_searches.result',
    summary: 'Get the web searches that providers ran, by time.',
    of: { runs: 'web_searches' },
    fields: {
      num_requests: one('web_searches', 'Searches.'),
      num_model_requests: { adds: 'requests', description: 'Requests in which a provider searched.' },
    },
    groups: [...caller, 'model'],
  },
  fileSearches: {
    path: '/v1/organization/usage/file_search_calls',
    object: 'organization.usage.file_searches.result',
    summary: 'Get the file searches that providers ran, by time.',
    of: { runs: 'file_searches' },
    fields: { num_requests: one('file_searches', 'Searches.') },
    groups: [...caller, 'model'],
  },
  codeSessions: {
    path: '/v1/organization/usage/code_interpreter_sessions',
    object: 'organization.usage.code_interpreter_sessions.result',
    summary: 'Get the code sessions that providers ran, by time.',
    of: { runs: 'code_sessions' },
    fields: { num_sessions: one('code_sessions', 'Sessions.') },
    groups: [...caller, 'model'],
  },
  moderations: {
    ...nothing,
    path: '/v1/organization/usage/moderations',
    object: 'organization.usage.moderations.result',
    summary: 'Get the moderations, by time. There are none.',
    fields: { input_tokens: never('Input tokens.'), num_model_requests: requests },
  },
  speeches: {
    ...nothing,
    path: '/v1/organization/usage/audio_speeches',
    object: 'organization.usage.audio_speeches.result',
    summary: 'Get the generated speech, by time. There is none.',
    fields: { characters: never('Characters.'), num_model_requests: requests },
  },
  transcriptions: {
    ...nothing,
    path: '/v1/organization/usage/audio_transcriptions',
    object: 'organization.usage.audio_transcriptions.result',
    summary: 'Get the transcriptions, by time. There are none.',
    fields: { seconds: never('Seconds.'), num_model_requests: requests },
  },
  vectorStores: {
    ...nothing,
    path: '/v1/organization/usage/vector_stores',
    object: 'organization.usage.vector_stores.result',
    summary: 'Get the size of vector stores, by time. There are none.',
    fields: { usage_bytes: never('Bytes.') },
  },
} as const satisfies Record<string, OrganizationReport>;

/** What was charged for all calls, batches and videos. */
export const costsReport = {
  path: '/v1/organization/costs',
  object: 'organization.costs.result',
  groups: ['project_id', 'user_id', 'line_item', 'api_key_id', 'batch'],
} as const satisfies Pick<OrganizationReport, 'path' | 'object' | 'groups'>;

export const bucketWidths = ['1m', '1h', '1d'] as const;
export type BucketWidth = (typeof bucketWidths)[number];

export interface BucketLimits {
  readonly seconds: number;
  /** How many buckets a page has if `limit` is left out. */
  readonly usual: number;
  readonly max: number;
}

/** As in OpenAI's API. */
export const usageLimits: Readonly<Record<BucketWidth, BucketLimits>> = {
  '1m': { seconds: 60, usual: 60, max: 1440 },
  '1h': { seconds: 3_600, usual: 24, max: 168 },
  '1d': { seconds: 86_400, usual: 7, max: 31 },
};
export const costLimits: Readonly<Partial<Record<BucketWidth, BucketLimits>>> = {
  '1d': { seconds: 86_400, usual: 7, max: 180 },
};
