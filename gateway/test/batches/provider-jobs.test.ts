/** A provider creates a job at most once, whatever happens to its answers and to the process that asks. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { providerBatches } from '../../src/batches/provider-batches.store.ts';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { sql } from '../../src/database/sql.ts';
import { claimJobs, enqueueJob, JobLeaseLost, type LeasedJob } from '../../src/jobs/jobs.store.ts';
import { DAY_MS, HOUR_MS } from '../../src/kernel/durations.ts';
import { newId } from '../../src/kernel/ids.ts';
import { Problem } from '../../src/kernel/problem.ts';
import { type Clock, systemClock } from '../../src/kernel/time.ts';
import { advanceProviderJob, untilStopped } from '../../src/provider-jobs/advance-provider-job.ts';
import { type CreateResult, createOnce } from '../../src/provider-jobs/create-once.ts';
import type { Found, ProviderJob, RemoteJob } from '../../src/provider-jobs/provider-job.ts';
import { isOtherJob } from '../../src/provider-jobs/provider-jobs.store.ts';
import { NotSent } from '../../src/providers/not-sent.ts';
import { committedVideoState, providerVideos } from '../../src/video/provider-videos.store.ts';
import { findVideoJob, insertVideoJob, type VideoJob } from '../../src/video/video-jobs.store.ts';
import { VIDEO_JOB } from '../../src/video/video-state.ts';
import { engines, makePlace, type TestPlace } from '../support/engines.ts';
import { TestClock } from '../support/test-clock.ts';

const UNKNOWN_MS = 30_000;

/** A provider that answers as a test says, and remembers what it was asked. */
class TestProvider {
  readonly asked: string[] = [];
  readonly id: string;

  constructor(id: string) {
    this.id = id;
  }

  find: () => Found<RemoteJob> = () => 'absent';
  create: () => RemoteJob | Error | Promise<RemoteJob> = () => ({ id: this.id });
  /** Runs when the request is about to take effect. */
  beforeAct: () => Promise<void> = async () => undefined;
  meaning: 'rejected' | 'not created' | 'unknown' = 'unknown';
}

describe.each(engines)('a job at a provider on %s', (engine) => {
  let place: TestPlace;
  let db: Database;
  let clock: TestClock;
  let provider: TestProvider;
  let lease: LeasedJob;
  const running = new AbortController().signal;

  beforeAll(async () => {
    place = await makePlace(engine);
    db = await openDatabase({ url: place.databaseUrl, folder: place.folder, clock: systemClock });
    await db.query(
      sql`insert into spaces (id, name, overage_allowed, created_at) values ('spc_a', 'a', true, now())`,
    );
  });
  afterAll(async () => {
    await db.close();
    await place.remove();
  });
  beforeEach(async () => {
    clock = new TestClock();
    lease = await claimed();
    provider = new TestProvider(`remote-${lease.subject}`);
  });

  async function claimed(): Promise<LeasedJob> {
    const now = clock.now();
    const id = newId('job', now);
    const kind = `${VIDEO_JOB}-${id}`;
    await db.transaction(async (tx) => {
      await enqueueJob(tx, { kind, subject: id, dueAt: now, now });
      await insertVideoJob(tx, {
        ...{
          id,
          spaceId: 'spc_a',
          keyId: 'key_a',
          memberId: null,
          owner: 'key_a',
          model: 'm',
          metadata: null,
          attribution: null,
          budgets: null,
        },
        ...{ createdAt: now, expiresAt: now + DAY_MS, request: { prompt: 'x' } },
      });
    });
    const claim = { kinds: [kind], now, expiredBefore: now, leaseUntil: now + 10_000, jobsMax: 1 };
    return (await claimJobs(db, claim))[0] as LeasedJob;
  }

  const row = async (): Promise<VideoJob> => (await findVideoJob(db, lease.subject)) as VideoJob;
  const loseLease = () => db.query(sql`update jobs set epoch = epoch + 1 where subject = ${lease.subject}`);
  const tools = () => ({ db, clock, pollMs: 60_000, unknownMs: UNKNOWN_MS });

  async function create(expiresAt: number): Promise<CreateResult<RemoteJob>> {
    return await createOnce(
      {
        ...{ lease, table: providerVideos, expiresAt },
        intent: { provider: 'p', details: { upstream_model: 'm' } },
        async create(mayAct) {
          provider.asked.push('create');
          await provider.beforeAct();
          const acts = await mayAct().catch((error: unknown) => {
            throw new NotSent(error);
          });
          if (!acts) throw new NotSent(new Error('unwanted'));
          const created = await provider.create();
          if (created instanceof Error) throw created;
          return created;
        },
        meaningOf: () => provider.meaning,
      },
      { signal: running, tools: tools() },
    );
  }

  function jobOf(video: VideoJob): ProviderJob<RemoteJob, string> {
    return {
      ...{ lease, table: providerVideos, state: committedVideoState(video) },
      search: {
        async find() {
          provider.asked.push('find');
          return provider.find();
        },
        async withdraw() {
          provider.asked.push('withdraw');
        },
      },
      reload: async () => jobOf(await row()),
      async status(id) {
        provider.asked.push('status');
        return { id };
      },
      follow: async (remote) => `following ${remote?.id}`,
      endBeforeCreate: () => (video.cancelAsked ? 'cancelled' : null),
      async create() {
        const result = await create(video.expiresAt);
        return 'remote' in result ? result : { instead: 'rejected' in result ? 'rejected' : 'not created' };
      },
      endUnknowable: () => 'unknowable',
      giveUp: () => 'given up',
    };
  }

  const turn = async (signal = running) =>
    await advanceProviderJob(jobOf(await row()), { signal, tools: tools() });

  test('its intent is committed before the provider is asked, and its id after the answer', async () => {
    let before: VideoJob | null = null;
    provider.beforeAct = async () => {
      before = await row();
    };
    expect(await turn()).toBe(`following ${provider.id}`);
    expect(before).toMatchObject({
      ...{ provider: 'p', upstreamModel: 'm', providerSentAt: clock.now(), providerJobId: null },
    });
    expect(await row()).toMatchObject({ provider: 'p', providerJobId: provider.id });
    expect(await turn()).toBe(`following ${provider.id}`);
    expect(provider.asked).toEqual(['create', 'status']);
  });

  test('without an answer it is looked up until it can no longer appear, and only then created again', async () => {
    provider.create = () => new Error('connection reset');
    await expect(turn()).rejects.toThrow('connection reset');
    provider.create = () => ({ id: provider.id });
    expect(await turn()).toEqual({ again: clock.now() + 1_000 });
    clock.pass(UNKNOWN_MS - 1);
    expect(await turn()).toEqual({ again: clock.now() + 3_000 });
    expect(provider.asked).toEqual(['create', 'find', 'find']);
    clock.pass(1);
    expect(await turn()).toBe(`following ${provider.id}`);
    expect(provider.asked).toEqual(['create', 'find', 'find', 'find', 'withdraw', 'find', 'create']);
  });

  test('a job that appears at the last moment is found after the withdrawal, and not created again', async () => {
    provider.create = () => new Error('connection reset');
    await expect(turn()).rejects.toThrow('connection reset');
    clock.pass(UNKNOWN_MS);
    provider.find = () => (provider.asked.includes('withdraw') ? { id: provider.id } : 'absent');
    expect(await turn()).toBe(`following ${provider.id}`);
    expect((await row()).providerJobId).toBe(provider.id);
    expect(provider.asked.filter((what) => what === 'create')).toHaveLength(1);
  });

  test('a job that may be ours is waited for, and one that cannot be identified is never created again', async () => {
    provider.create = () => new Error('connection reset');
    await expect(turn()).rejects.toThrow('connection reset');
    provider.find = () => 'unclear';
    clock.pass(UNKNOWN_MS);
    expect(await turn()).toHaveProperty('again');
    provider.find = () => 'unknowable';
    expect(await turn()).toBe('unknowable');
    expect(provider.asked.filter((what) => what === 'create')).toHaveLength(1);
    expect((await row()).provider).toBe('p');
  });

  test.each([
    ['rejected', 'rejected', 'p'],
    ['not created', 'not created', null],
  ] as const)('an error answer that means %s ends the attempt', async (meaning, outcome, kept) => {
    provider.meaning = meaning;
    provider.create = () => new Problem('rate_limit_exceeded');
    expect(await turn()).toBe(outcome);
    expect((await row()).provider).toBe(kept);
  });

  test('a process that lost its lease creates nothing and writes nothing', async () => {
    provider.beforeAct = async () => {
      await loseLease();
    };
    provider.create = () => expect.fail('it must not act');
    await expect(turn()).rejects.toBeInstanceOf(JobLeaseLost);
    expect(await row()).toMatchObject({ provider: 'p', providerJobId: null });
    // Even when it comes back so late that the job counts as absent, it may not start over.
    clock.pass(UNKNOWN_MS);
    await expect(turn()).rejects.toBeInstanceOf(JobLeaseLost);
    expect(await row()).toMatchObject({ provider: 'p', providerJobId: null });
    expect(provider.asked.filter((what) => what === 'create')).toHaveLength(1);
  });

  test('the answer to a request is not written once the lease is lost', async () => {
    provider.create = async () => {
      await loseLease();
      return { id: provider.id };
    };
    await expect(turn()).rejects.toBeInstanceOf(JobLeaseLost);
    expect(await row()).toMatchObject({ provider: 'p', providerJobId: null });
  });

  test('a cancellation at the last moment stops the request, and the intent is cleared', async () => {
    provider.beforeAct = async () => {
      await db.query(sql`update video_jobs set cancel_asked = true where id = ${lease.subject}`);
    };
    expect(await create((await row()).expiresAt)).toMatchObject({ unwanted: true });
    expect((await row()).provider).toBeNull();
    expect(await turn()).toBe('cancelled');
  });

  test('a job that expired, or whose lease was confirmed too long ago, is not created', async () => {
    expect(await create(clock.now())).toMatchObject({ unwanted: true });
    let elapsedMs = 0;
    const slowClock: Clock = {
      now: () => clock.now(),
      elapsedMs: () => (elapsedMs += 5_000),
      after: (ms, work) => clock.after(ms, work),
      every: (ms, work) => clock.every(ms, work),
    };
    const attempt = createOnce(
      {
        ...{ lease, table: providerVideos, expiresAt: (await row()).expiresAt },
        intent: { provider: 'p', details: { upstream_model: 'm' } },
        async create(mayAct) {
          if (!(await mayAct())) throw new NotSent(new Error('unwanted'));
          return { id: provider.id };
        },
        meaningOf: () => 'unknown',
      },
      { signal: running, tools: { ...tools(), clock: slowClock } },
    );
    expect(await attempt).toMatchObject({ unwanted: true });
  });

  test('an unreachable provider is given up an hour after the expiry, but never after a lost lease', async () => {
    provider.create = () => new Error('unreachable');
    provider.find = () => {
      throw new Error('unreachable');
    };
    await expect(turn()).rejects.toThrow('unreachable');
    clock.pass(DAY_MS + HOUR_MS - 1);
    await expect(turn()).rejects.toThrow('unreachable');
    clock.pass(1);
    const { giveUp: _, ...patient } = jobOf(await row());
    await expect(advanceProviderJob(patient, { signal: running, tools: tools() })).rejects.toThrow(
      'unreachable',
    );
    await expect(turn(AbortSignal.abort())).rejects.toThrow('unreachable');
    expect(await turn()).toBe('given up');
    provider.find = () => ({ id: 'found' });
    await loseLease();
    await expect(turn()).rejects.toBeInstanceOf(JobLeaseLost);
  });

  test('a stopping process returns its job at once, and still reports a lost lease', async () => {
    const stopped = { signal: AbortSignal.abort(), tools: tools() };
    const fail = (error: Error) => () => Promise.reject(error);
    expect(await untilStopped(stopped, fail(new Error('cut off')))).toEqual({ again: clock.now() });
    await expect(untilStopped(stopped, fail(new JobLeaseLost('lost')))).rejects.toBeInstanceOf(JobLeaseLost);
    await expect(untilStopped({ ...stopped, signal: running }, fail(new Error('cut off')))).rejects.toThrow(
      'cut off',
    );
  });

  test("ids of batches are unique everywhere, ids of videos per provider, and a job's own id is not another's", async () => {
    await turn();
    const of = { id: 'other', provider: 'p', remoteId: provider.id };
    expect(await isOtherJob(db, providerVideos, { ...of, id: lease.subject })).toBe(false);
    expect(await isOtherJob(db, providerVideos, of)).toBe(true);
    expect(await isOtherJob(db, providerVideos, { ...of, provider: 'q' })).toBe(false);
    const now = new Date(clock.now()).toISOString();
    await db.query(sql`
      insert into batches (id, space_id, owner, key_id, input_file_id, endpoint, model, status, total, created_at,
        expires_at, provider, provider_sent_at, provider_lines, provider_batch_id)
      values (${lease.subject}, 'spc_a', 'o', 'key_a', 'file_x', '/v1/chat/completions', 'm', 'in_progress', 1,
        ${now}, ${now}, 'p', ${now}, 1, ${lease.subject})`);
    const batch = { ...of, remoteId: lease.subject };
    expect(await isOtherJob(db, providerBatches, { ...batch, provider: 'q' })).toBe(true);
    expect(await isOtherJob(db, providerBatches, { ...batch, id: lease.subject })).toBe(false);
  });
});
