import { ExampleResult } from '../example-values.ts';
import type { TagDocs } from '../operation-docs.ts';
import { demo, LAST_PAGE, OWNER } from './places.ts';

const UNKNOWN = `job_${'0'.repeat(26)}`;
const owned = { owner: OWNER, key: null };

const job = {
  id: 'job_01kdm61m2q6t0x4a8e2h6k0npw',
  ...owned,
  model: 'sim-video',
  status: 'succeeded',
  progress: 100,
  problem: null,
  cost: '0.4',
  created_at: '2026-11-16T14:13:22+09:00',
  started_at: '2026-11-16T14:13:24+09:00',
  completed_at: '2026-11-16T14:14:24+09:00',
  expires_at: '2026-12-16T14:14:24+09:00',
};

const media = {
  id: 'media_01kdm62q5u9y3c7f1j5n9r3twz',
  ...owned,
  job_id: job.id,
  status: 'ready',
  mime_type: 'video/mp4',
  bytes: 18041,
  duration_seconds: 4,
  width: 720,
  height: 1280,
  created_at: '2026-11-16T14:14:24+09:00',
  expires_at: '2026-12-16T14:14:24+09:00',
};

export const jobAdminDocs: TagDocs = {
  tag: 'Jobs and media',
  description: 'The video jobs of a space, the files they made, and uploaded references.',
  operations: {
    'jobs.list': {
      description: 'A member sees their own jobs.',
      examples: [
        {
          title: 'Finished jobs',
          path: demo,
          query: { status: 'succeeded' },
          after: ['getJob'],
          answer: { data: [job], ...LAST_PAGE },
        },
      ],
    },
    'jobs.get': {
      description: 'With the files it made. A member sees their own jobs.',
      examples: [
        {
          title: 'A finished job',
          path: { ...demo, job: new ExampleResult('getJob', 'id') },
          answer: { ...job, files: [media] },
        },
      ],
      errors: {
        job_not_found: {
          detail: `There is no job ${UNKNOWN} in demo.`,
          param: 'job',
          provoke: { path: { ...demo, job: UNKNOWN } },
        },
      },
    },
    'media.list': {
      description: 'Files that have expired are not listed. A member sees their own files.',
      examples: [
        {
          title: 'One video',
          path: demo,
          after: ['getJob'],
          answer: { data: [media], ...LAST_PAGE },
        },
      ],
    },
    'references.list': {
      description: 'References that have expired are not listed. A member sees their own references.',
      examples: [
        {
          title: 'Images',
          path: demo,
          query: { kind: 'image' },
          after: ['createReference'],
          answer: {
            data: [
              {
                id: 'ref_01kdm64v1a5d9g3k7n1r5u9xbe',
                ...owned,
                kind: 'image',
                track: 'file',
                mime_type: 'image/png',
                bytes: 70,
                created_at: '2026-11-16T14:15:10+09:00',
                expires_at: '2026-12-16T14:15:10+09:00',
              },
            ],
            ...LAST_PAGE,
          },
        },
      ],
    },
  },
};
