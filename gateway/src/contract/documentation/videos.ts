import { cost, limitTooHigh, listOfOne } from './example-parts.ts';
import { ExampleGiven, ExampleResult } from './example-values.ts';
import type { TagDocs } from './operation-docs.ts';

const created = {
  id: 'job_01kdm61m2q6t0x4a8e2h6k0npw',
  object: 'job',
  kind: 'video',
  model: 'sim-video',
  status: 'queued',
  progress: null,
  created_at: 1794806003,
  started_at: null,
  completed_at: null,
  expires_at: 1794892403,
  files: [],
  usage: null,
  estimated_cost: null,
  error: null,
  metadata: null,
};

const finished = {
  ...created,
  status: 'succeeded',
  progress: 100,
  started_at: 1794806004,
  completed_at: 1794806064,
  expires_at: 1797398064,
  files: [
    {
      media_id: 'media_01kdm62q5u9y3c7f1j5n9r3twz',
      kind: 'video',
      mime_type: 'video/mp4',
      bytes: 18041,
      duration_seconds: 4,
      width: 720,
      height: 1280,
      status: 'ready',
    },
  ],
  usage: { videos: 1, seconds: 4 },
  estimated_cost: cost('0.4'),
};

const ID = 'The id of the job.';

export const videosDocs: TagDocs = {
  tag: 'Videos',
  description: 'Videos are created by jobs, which take minutes.',
  operations: {
    createVideo: {
      description:
        'Creates a job and returns at once. Poll the job until it has ended, then create a link to its file. The job is created at the provider at most once, whatever fails in between.',
      examples: [
        {
          title: 'Four seconds',
          headers: { 'idempotency-key': 'kite-0007' },
          body: {
            model: 'sim-video',
            prompt: 'A red kite over the sea',
            duration_seconds: 4,
            resolution: '720p',
          },
          answer: created,
        },
      ],
      errors: {
        invalid_parameter: {
          detail: 'prompt is required.',
          param: 'prompt',
          provoke: { body: { model: 'sim-video' } },
        },
      },
    },
    getJob: {
      description:
        'A job that succeeded has its files and its cost. A job that failed says why, and costs nothing unless its provider charges for it.',
      path: { id: ID },
      examples: [
        {
          title: 'A finished video',
          path: { id: new ExampleResult('createVideo', 'id') },
          until: { status: 'succeeded' },
          answer: finished,
        },
      ],
    },
    cancelJob: {
      description:
        'Asks the provider to stop. Not every provider can, and the video may be finished first; then it is kept and charged.',
      path: { id: ID },
      examples: [
        {
          title: 'Cancel a job',
          path: { id: new ExampleGiven('running job', 'job_01kdm63s8x2b6e0h4m8q2t6vyc') },
          answer: { ...created, id: 'job_01kdm63s8x2b6e0h4m8q2t6vyc', model: 'sim-video-http' },
        },
      ],
    },
    listJobs: {
      description: 'Lists the jobs of the key, the newest first.',
      examples: [
        {
          title: 'The newest jobs',
          query: { limit: 20 },
          after: ['getJob'],
          answer: listOfOne(finished),
        },
      ],
      errors: { invalid_parameter: limitTooHigh(100) },
    },
  },
};
