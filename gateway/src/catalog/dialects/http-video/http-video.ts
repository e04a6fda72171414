/** The `video:` settings of a provider: how its HTTP interface for videos works. */
import { Type } from 'typebox';
import type { JsonPointer } from '../../../json/json-pointer.ts';
import { about, closed } from '../../../yaml/about-key.ts';

/** What `video:` has, unless the file says it. */
export const videoDefaults = {
  header: 'authorization',
  prefix: 'Bearer ',
  inputs: 'data_url',
  id: '/id',
  progressOf: 100,
  method: 'POST',
} as const;

export const inputEncodings = ['url', 'data_url', 'base64'] as const;
export type InputEncoding = (typeof inputEncodings)[number];

/** The placeholders of a body, named like the fields of `POST /v1/video/generations`. */
export const videoPlaceholders = [
  ...['prompt', 'model', 'client_id', 'duration_seconds', 'aspect_ratio', 'resolution', 'fps', 'seed'],
  ...['generate_audio', 'n', 'image_url', 'image_type', 'last_frame_url', 'last_frame_type'],
  ...['reference_urls', 'video_url', 'video_type', 'audio_url', 'audio_type'],
] as const;
/** Placeholders for the bytes of a file, which must be a whole string. */
export const inputPlaceholders = [
  'image_url',
  'last_frame_url',
  'reference_urls',
  'video_url',
  'audio_url',
] as const;

/** A placeholder in a template. */
export const TEMPLATE_PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

export const videoStates = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export type VideoStateName = (typeof videoStates)[number];

export interface HttpVideoSettings {
  readonly auth: { readonly header: string; readonly prefix: string };
  readonly headers: Readonly<Record<string, string>>;
  readonly inputs: InputEncoding;
  readonly create: {
    readonly path: string;
    /** JSON with `{{placeholders}}` in its strings. */
    readonly body: unknown;
    readonly id: JsonPointer;
    /** The header for our id. */
    readonly idempotencyHeader: string | null;
  };
  /** The JSON pointers below are relative to `job`. */
  readonly job: JsonPointer;
  readonly status: {
    readonly path: string;
    readonly state: JsonPointer;
    /** Our states by the provider's. */
    readonly states: ReadonlyMap<string, VideoStateName>;
    readonly progress: JsonPointer | null;
    /** The progress value that means 100 %. */
    readonly progressOf: number;
    readonly seconds: JsonPointer | null;
    readonly charged: JsonPointer | null;
    readonly files: JsonPointer;
    /** JSON pointer to the URL within a file; left out if the file is a URL. */
    readonly fileUrl: JsonPointer;
  };
  readonly lookup: { readonly path: string; readonly jobs: JsonPointer } | null;
  readonly cancel: { readonly method: 'POST' | 'DELETE'; readonly path: string } | null;
  readonly remove: { readonly path: string } | null;
  readonly error: {
    readonly message: JsonPointer | null;
    readonly code: JsonPointer | null;
    /** Error codes that mean that the content was blocked. */
    readonly blocked: ReadonlySet<string>;
  };
  readonly fileHosts: readonly string[];
}

const text = (meaning: string, example: string) =>
  Type.String({ minLength: 1, ...about(meaning, { example }) });
const pointer = (meaning: string, example: string, otherwise: string) =>
  Type.Optional(Type.String(about(meaning, { example, otherwise })));
const words = (meaning: string, example: readonly string[]) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1 }), about(meaning, { otherwise: 'none', example })));

const AuthEntry = Type.Object(
  {
    header: Type.Optional(
      Type.String({
        minLength: 1,
        ...about('The header of the key.', { default: videoDefaults.header, example: 'x-api-key' }),
      }),
    ),
    prefix: Type.Optional(
      Type.String(about('The text before the key.', { default: videoDefaults.prefix, example: 'Key ' })),
    ),
  },
  { ...closed, ...about('How the key is sent.') },
);

const CreateEntry = Type.Object(
  {
    path: text('The path of the create request (POST), appended to base_url.', '/renders'),
    body: text('Its JSON body as a text, with {{placeholders}}.', '{ "prompt": "{{prompt}}" }'),
    id: Type.Optional(
      Type.String(
        about('JSON pointer to the id of the job.', { default: videoDefaults.id, example: '/render/id' }),
      ),
    ),
    idempotency_header: Type.Optional(
      Type.String(about('A header that carries our id.', { otherwise: 'none', example: 'idempotency-key' })),
    ),
  },
  { ...closed, ...about('The request that creates a job.') },
);

const StatesEntry = Type.Object(
  {
    queued: words('Their names for queued.', ['submitted']),
    running: words('Their names for running.', ['rendering']),
    succeeded: words('Their names for succeeded; at least one.', ['complete']),
    failed: words('Their names for failed; at least one.', ['failed', 'rejected']),
    cancelled: words('Their names for cancelled.', ['aborted']),
  },
  { ...closed, ...about("The provider's names for our states.") },
);

const StatusEntry = Type.Object(
  {
    path: text('The path of the status request, with {id}.', '/renders/{id}'),
    state: text('JSON pointer to the state.', '/status'),
    states: StatesEntry,
    progress: pointer('JSON pointer to the progress.', '/progress', 'not reported'),
    progress_of: Type.Optional(
      Type.Integer({
        minimum: 1,
        ...about('The progress value that means 100 %.', { default: videoDefaults.progressOf, example: 1 }),
      }),
    ),
    seconds: pointer(
      'JSON pointer to the charged seconds of all files.',
      '/usage/seconds',
      'the requested seconds',
    ),
    charged: pointer(
      'JSON pointer; true there: a failed or cancelled job is charged anyway.',
      '/billed',
      'not charged',
    ),
    files: Type.String(about('JSON pointer to one file or a list of files.', { example: '/outputs' })),
    file_url: pointer('JSON pointer to the address within a file.', '/url', 'the file is the address'),
  },
  { ...closed, ...about('The request that follows a job.') },
);

const LookupEntry = Type.Object(
  {
    path: text('The path that finds a job by our id, with {client_id}.', '/renders?reference={client_id}'),
    jobs: pointer('JSON pointer to the job or the list of jobs.', '/data', 'the whole answer'),
  },
  { ...closed, ...about('Finds a job whose create request got no answer.') },
);

const CancelEntry = Type.Object(
  {
    method: Type.Optional(
      Type.Enum(['POST', 'DELETE'], about('The method.', { default: videoDefaults.method })),
    ),
    path: text('The path, with {id}.', '/renders/{id}/abort'),
  },
  { ...closed, ...about('Cancels a job. Without it, jobs cannot be cancelled.') },
);

/** As written in the file. */
export const HttpVideoEntry = Type.Object(
  {
    auth: Type.Optional(AuthEntry),
    headers: Type.Optional(
      Type.Record(
        Type.String(),
        Type.String(),
        about('Headers of every request.', { otherwise: 'none', example: { 'x-version': '2' } }),
      ),
    ),
    inputs: Type.Optional(
      Type.Enum(
        [...inputEncodings],
        about('How images, videos and audio are sent; with url the provider fetches them.', {
          default: videoDefaults.inputs,
        }),
      ),
    ),
    job: pointer('JSON pointer to the job; the pointers below start there.', '/job', 'the whole answer'),
    create: CreateEntry,
    status: StatusEntry,
    lookup: Type.Optional(LookupEntry),
    cancel: Type.Optional(CancelEntry),
    remove: Type.Optional(
      Type.Object(
        { path: text('The path, with {id} (DELETE).', '/renders/{id}') },
        { ...closed, ...about('Deletes a job after its files are copied. Without it, they stay.') },
      ),
    ),
    error: Type.Optional(
      Type.Object(
        {
          message: pointer('JSON pointer to the message.', '/error/message', 'not reported'),
          code: pointer('JSON pointer to the code.', '/error/code', 'not reported'),
          blocked: words('Codes that mean that the content was blocked.', ['content_policy']),
        },
        { ...closed, ...about('Why a job failed or a request was rejected.') },
      ),
    ),
    file_hosts: words('Hosts of files that are not public or not https; never with the key.', [
      'files.internal',
    ]),
  },
  { ...closed, ...about("For the dialect http-video: the provider's HTTP interface.") },
);
