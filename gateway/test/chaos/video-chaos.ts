/**
 * Creates many videos while the processes are killed with SIGKILL at random moments and restarted, and while the
 * provider fails in several ways. Then compares what is left.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobObject } from '../../src/contract/video.ts';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { type Disagreement, verifyBooks } from '../../src/reports/verify-books.store.ts';
import { pointAt } from '../support/config.ts';
import type { Engine } from '../support/engines.ts';
import { sha256Of, videoConfig } from '../support/video-jobs-stage.ts';
import { type AfterKills, type Ask, runKilled, untilSeen } from './killed-processes.ts';

export interface VideoChaosOptions {
  readonly engine: Engine;
  readonly jobs: number;
  readonly kills: number;
}

export interface EndedVideo {
  readonly job: JobObject;
  readonly prompt: string;
  /** How many videos the provider made for it. */
  readonly made: number;
  /** The checksums of the stored file, of its row, and of what the provider made. */
  readonly sums: ReadonlyArray<{ readonly kept: string; readonly recorded: string; readonly made: string }>;
}

export interface VideoChaosRun {
  readonly ended: readonly EndedVideo[];
  /** The number of jobs in the database, and of those that have not ended. */
  readonly jobs: number;
  readonly left: number;
  /** The charges of videos in the journal. */
  readonly charges: ReadonlyArray<{ ref: string; spent: string }>;
  readonly disagreements: readonly Disagreement[];
}

/** Faults of the provider, in turn. The files are large enough to be in transfer when a kill comes. */
const troubles = ['', 'slow', 'create-reset', 'cut-content', 'create-500', 'failed', 'slow'] as const;
/** Only one of the two providers accepts our ids. */
const models = ['film', 'made'] as const;
const FILE_BYTES = 3_000_000;
/** A video that the provider does not list by then was never created. */
const UNKNOWN_MS = 1_000;
export const FAILS = 'failed';

export async function runVideoChaos({ engine, jobs, kills }: VideoChaosOptions): Promise<VideoChaosRun> {
  return await runKilled(
    {
      // A single process needs time to make progress.
      ...{ engine, kills, ...(engine === 'embedded' && { livesMs: 2_000 }) },
      config: (simulator) => pointAt(videoConfig(UNKNOWN_MS), { simulator }),
      begin: (ask) => Promise.all(Array.from({ length: jobs }, (_, i) => create(ask, i))),
      async finish(ids, ask) {
        const ended: JobObject[] = [];
        for (const id of ids) {
          ended.push(await untilSeen<JobObject>(ask, `/v1/jobs/${id}`, (job) => job.completed_at !== null));
        }
        return ended;
      },
    },
    async (ended, after) => ({
      ended: await Promise.all(ended.map((job, i) => compare(job, promptOf(i), after))),
      ...(await read(after.db)),
    }),
  );
}

function promptOf(number: number): string {
  const trouble = troubles[number % troubles.length];
  return `${trouble === '' ? '' : `[[video ${trouble}]] `}[[bytes ${FILE_BYTES}]] chaos ${number}`;
}

/** With an Idempotency-Key, so that a retry after a kill gets the same job. */
async function create(ask: Ask, number: number): Promise<string> {
  const reply = await ask('/v1/video/generations', {
    method: 'POST',
    headers: { 'idempotency-key': `chaos-${number}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: models[number % models.length], prompt: promptOf(number) }),
  });
  const job = (await reply.json()) as { id?: string };
  if (job.id === undefined) throw new Error(`job ${number} was rejected: ${JSON.stringify(job)}`);
  return job.id;
}

async function compare(
  job: JobObject,
  prompt: string,
  { db, simulator, folder }: AfterKills,
): Promise<EndedVideo> {
  const { videos } = simulator;
  const rows = await db.query<{ id: string; sha256: string }>(sql`
    select id, sha256 from media where job_id = ${job.id} and status = 'ready'`);
  const film = videos.videos.find((video) => video.prompt === prompt);
  const sums = rows.map(({ id, sha256: recorded }) => ({
    kept: sha256Of(readFileSync(join(folder, 'blobs', id))),
    recorded,
    made: film === undefined ? '' : sha256Of(videos.film(film)),
  }));
  return { job, prompt, made: videos.made(prompt), sums };
}

async function read(db: Database) {
  const [counts] = await db.query<{ jobs: number; left: number }>(sql`
    select (select count(*) from video_jobs) as jobs, (select count(*) from jobs) as left`);
  return {
    jobs: counts?.jobs ?? -1,
    left: counts?.left ?? -1,
    charges: await db.query<{ ref: string; spent: string }>(sql`
      select ref, trim_scale(spent)::text as spent from journal where kind = 'charge' order by ref`),
    disagreements: (await verifyBooks(db)).disagreements,
  };
}
