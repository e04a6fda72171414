/** The endpoints of videos and their jobs. */
import type { Endpoint } from './endpoint.ts';
import { PageQuery } from './pages.ts';
import { modelKinds } from './paid-endpoints.ts';
import { JobList, JobObject, VideoRequest } from './video.ts';

export const videoEndpoints = {
  createVideo: {
    method: 'POST',
    path: modelKinds.video.endpoints.createVideo.path,
    credential: 'gateway',
    charged: true,
    summary: 'Start a video.',
    request: VideoRequest,
    idempotent: true,
    response: JobObject,
    problems: ['model_not_found', 'rate_limit_exceeded'],
  },
  listJobs: {
    method: 'GET',
    path: '/v1/jobs',
    credential: 'gateway',
    summary: 'List your jobs, the newest first.',
    query: PageQuery,
    response: JobList,
    problems: ['invalid_parameter'],
  },
  getJob: {
    method: 'GET',
    path: '/v1/jobs/{id}',
    ids: 'job',
    credential: 'gateway',
    summary: 'Get a job.',
    response: JobObject,
    problems: ['job_not_found'],
  },
  cancelJob: {
    method: 'POST',
    path: '/v1/jobs/{id}/cancel',
    ids: 'job',
    credential: 'gateway',
    summary: 'Cancel a job.',
    response: JobObject,
    problems: ['job_not_found', 'job_not_cancellable'],
  },
} as const satisfies Record<string, Endpoint>;
