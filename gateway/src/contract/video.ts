/** Videos: `POST /v1/video/generations` starts a job, `GET /v1/jobs/{id}` returns its state, `GET /v1/jobs` lists jobs. */
import { type Static, Type } from 'typebox';
import { EstimatedCost } from './cost.ts';
import { pageOf } from './pages.ts';
import { Metadata, nullable } from './schema.ts';

export const VIDEO_PROMPT_CHARACTERS_MAX = 32_000;
export const VIDEO_REFERENCES_MAX = 16;

const Url = Type.String({
  minLength: 1,
  description: 'An https URL, a data URL, or a reference (svc-file://… or svc-asset://…).',
});
const word = Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 32 })));

export const VideoRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 200 }),
    prompt: Type.String({ minLength: 1, maxLength: VIDEO_PROMPT_CHARACTERS_MAX }),
    image_url: Type.Optional(nullable(Url)),
    last_frame_url: Type.Optional(nullable(Url)),
    reference_urls: Type.Optional(nullable(Type.Array(Url, { maxItems: VIDEO_REFERENCES_MAX }))),
    video_url: Type.Optional(nullable(Url)),
    audio_url: Type.Optional(nullable(Url)),
    duration_seconds: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 600 }))),
    aspect_ratio: word,
    resolution: word,
    fps: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 240 }))),
    seed: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 4_294_967_295 }))),
    generate_audio: Type.Optional(nullable(Type.Boolean())),
    n: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 16 }))),
    metadata: Type.Optional(nullable(Metadata)),
  },
  { additionalProperties: false },
);
export type VideoRequest = Static<typeof VideoRequest>;

export const jobStatuses = ['queued', 'in_progress', 'succeeded', 'failed', 'cancelled', 'expired'] as const;
export type JobStatus = (typeof jobStatuses)[number];
export const mediaStatuses = ['pending', 'ready', 'failed'] as const;
export type MediaStatus = (typeof mediaStatuses)[number];

const Seconds = Type.Integer({ description: 'Unix seconds.' });

export const JobFile = Type.Object({
  media_id: Type.String(),
  kind: Type.Literal('video'),
  mime_type: Type.String(),
  bytes: nullable(Type.Integer()),
  duration_seconds: nullable(Type.Number()),
  width: nullable(Type.Integer()),
  height: nullable(Type.Integer()),
  status: Type.Enum([...mediaStatuses]),
});
export type JobFile = Static<typeof JobFile>;

export const JobUsage = Type.Object({ videos: Type.Integer(), seconds: Type.Number() });
export type JobUsage = Static<typeof JobUsage>;

export const JobObject = Type.Object({
  id: Type.String(),
  object: Type.Literal('job'),
  kind: Type.Literal('video'),
  model: Type.String(),
  status: Type.Enum([...jobStatuses]),
  progress: nullable(Type.Integer({ minimum: 0, maximum: 100 })),
  created_at: Seconds,
  started_at: nullable(Seconds),
  completed_at: nullable(Seconds),
  expires_at: Type.Integer({
    description:
      'Unix seconds. While the job runs: its deadline. Once it is done: when its files are deleted.',
  }),
  files: Type.Array(JobFile),
  usage: nullable(JobUsage),
  estimated_cost: EstimatedCost,
  error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  metadata: nullable(Type.Record(Type.String(), Type.String())),
});
export type JobObject = Static<typeof JobObject>;

export const JobList = pageOf(JobObject);
export type JobList = Static<typeof JobList>;
