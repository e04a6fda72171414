/** Videos: `POST /v1/video/generations` starts a job, `GET /v1/jobs/{id}` returns its state, `GET /v1/jobs` lists jobs. */
import { type Static, Type } from 'typebox';
import { EstimatedCost } from './cost.ts';
import { jobStatuses } from './job-statuses.ts';
import { idPageOf } from './pages.ts';
import { ErrorSummary, Metadata, nullable } from './schema.ts';

export const VIDEO_PROMPT_CHARACTERS_MAX = 32_000;
export const VIDEO_REFERENCES_MAX = 16;

const url = (what: string) =>
  Type.String({ minLength: 1, description: `${what}: an https URL, a data URL, or a reference.` });
const word = (description: string) =>
  Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 32, description })));
const whole = (description: string, range: { minimum: number; maximum: number }) =>
  Type.Optional(nullable(Type.Integer({ ...range, description })));

export const VideoRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 200, description: 'A video model from GET /v1/models.' }),
    prompt: Type.String({
      minLength: 1,
      maxLength: VIDEO_PROMPT_CHARACTERS_MAX,
      description: 'What the video should show.',
    }),
    image_url: Type.Optional(nullable(url('The first frame'))),
    last_frame_url: Type.Optional(nullable(url('The last frame'))),
    reference_urls: Type.Optional(
      nullable(
        Type.Array(url('An image'), {
          maxItems: VIDEO_REFERENCES_MAX,
          description: 'Images of the people, things or style in the video.',
        }),
      ),
    ),
    video_url: Type.Optional(nullable(url('A video to continue or change'))),
    audio_url: Type.Optional(nullable(url('A sound track'))),
    duration_seconds: whole('The length, as far as the model offers it.', { minimum: 1, maximum: 600 }),
    aspect_ratio: word('Such as `16:9`.'),
    resolution: word('Such as `720p`. It determines the price.'),
    fps: whole('Frames per second.', { minimum: 1, maximum: 240 }),
    seed: whole('The same seed and request give similar videos, if the model can.', {
      minimum: 0,
      maximum: 4_294_967_295,
    }),
    generate_audio: Type.Optional(nullable(Type.Boolean({ description: 'Whether the video has sound.' }))),
    n: whole('Number of videos. Default: 1.', { minimum: 1, maximum: 16 }),
    metadata: Type.Optional(nullable(Metadata)),
  },
  { additionalProperties: false, description: 'A prompt for a new video.' },
);
export type VideoRequest = Static<typeof VideoRequest>;

export const mediaStatuses = ['pending', 'ready', 'failed'] as const;
export type MediaStatus = (typeof mediaStatuses)[number];

export const JobFile = Type.Object(
  {
    media_id: Type.String({ description: 'Use it to create a download link.' }),
    kind: Type.Literal('video', { description: 'Always `video`.' }),
    mime_type: Type.String({ description: 'The type of the file.' }),
    bytes: nullable(Type.Integer({ description: 'The size; null until it is known.' })),
    duration_seconds: nullable(Type.Number({ description: 'The length; null until it is known.' })),
    width: nullable(Type.Integer({ description: 'In pixels; null until it is known.' })),
    height: nullable(Type.Integer({ description: 'In pixels; null until it is known.' })),
    status: Type.Enum([...mediaStatuses], { description: 'Whether the file can be downloaded.' }),
  },
  { description: 'A file that a job produced.' },
);
export type JobFile = Static<typeof JobFile>;

export const JobUsage = Type.Object(
  {
    videos: Type.Integer({ description: 'The number of videos.' }),
    seconds: Type.Number({ description: 'Their length in all.' }),
  },
  { description: 'What is charged; null until the job has ended.' },
);
export type JobUsage = Static<typeof JobUsage>;

export const JobObject = Type.Object(
  {
    id: Type.String({ description: 'The id of the job.' }),
    object: Type.Literal('job', { description: 'Always `job`.' }),
    kind: Type.Literal('video', { description: 'Always `video`.' }),
    model: Type.String({ description: 'The model code of the request.' }),
    status: Type.Enum([...jobStatuses], { description: 'How far the job is, or how it ended.' }),
    progress: nullable(
      Type.Integer({ minimum: 0, maximum: 100, description: 'In percent; null if it is unknown.' }),
    ),
    created_at: Type.Integer({ description: 'When it was created, in Unix seconds.' }),
    started_at: nullable(Type.Integer({ description: 'When the provider began, in Unix seconds.' })),
    completed_at: nullable(Type.Integer({ description: 'When it ended, in Unix seconds.' })),
    expires_at: Type.Integer({
      description:
        'Unix seconds. While the job runs: its deadline. Once it is done: when its files are deleted.',
    }),
    files: Type.Array(JobFile, { description: 'The files that it produced.' }),
    usage: nullable(JobUsage),
    estimated_cost: EstimatedCost,
    error: nullable(ErrorSummary),
    metadata: nullable(
      Type.Record(Type.String(), Type.String(), { description: 'The `metadata` of the request.' }),
    ),
  },
  { description: 'A job with its progress, files and cost.' },
);
export type JobObject = Static<typeof JobObject>;

export const JobList = idPageOf(JobObject, 'A page of jobs.');
export type JobList = Static<typeof JobList>;
