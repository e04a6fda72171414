/** The endpoints of videos, which are jobs. */
import type { Endpoint } from './endpoint.ts';
import { JobObject, VideoRequest } from './video.ts';

export const videoEndpoints = {
  createVideo: {
    method: 'POST',
    path: '/v1/video/generations',
    credential: 'gateway',
    charged: true,
    summary: 'Starts to make a video; the answer is a job, to be looked at until it is done.',
    request: VideoRequest,
    idempotent: true,
    response: JobObject,
    problems: ['model_not_found', 'rate_limit_exceeded'],
  },
  getJob: {
    method: 'GET',
    path: '/v1/jobs/{id}',
    credential: 'gateway',
    summary: 'Tells how far a job of the same owner is, its files and what it cost.',
    response: JobObject,
    problems: ['job_not_found'],
  },
  cancelJob: {
    method: 'POST',
    path: '/v1/jobs/{id}/cancel',
    credential: 'gateway',
    summary: 'Stops a job, where its provider can; what is finished first is kept and charged.',
    response: JobObject,
    problems: ['job_not_found', 'job_not_cancellable'],
  },
} as const satisfies Record<string, Endpoint>;
