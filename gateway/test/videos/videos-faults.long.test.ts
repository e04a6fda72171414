/** A video is created at its provider at most once, and charged once or not at all, whatever fails. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { VideoHold } from '../../simulator/videos/video-cues.ts';
import type { JobObject } from '../../src/contract/video.ts';
import { sql } from '../../src/database/sql.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';
import { VideoStage, videoConfig } from '../support/video-jobs-stage.ts';

/** Longer than the delay of a video that the provider lists late. */
const UNKNOWN_MS = 2_500;

describe.each(engines)('videos on %s', (engine) => {
  let gateway: TestGateway;
  let stage: VideoStage;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config: videoConfig(UNKNOWN_MS) });
    stage = new VideoStage(gateway);
  });
  afterAll(() => gateway.stop());
  afterEach(async () => {
    expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
  });

  const chargesOf = async ({ id }: JobObject): Promise<number> =>
    (await gateway.query(sql`select 1 from journal where ref = ${id}`)).length;
  const run = async (prompt: string, more: Record<string, unknown> = {}): Promise<JobObject> =>
    await stage.ended((await stage.created(prompt, more)).id);
  const createRequests = (prompt: string): number =>
    gateway.simulator.calls.filter(
      ({ path, method, bytes }) => path === '/v1/videos' && method === 'POST' && bytes.includes(prompt),
    ).length;
  /** As if the lease had expired: another process claims the job while the first still runs. */
  const loseLease = (id: string) =>
    gateway.query(
      sql`update jobs set epoch = epoch + 1, lease_until = null, due_at = now() where subject = ${id}`,
    );
  const isWaitingAt = (point: VideoHold): Promise<void> =>
    expect.poll(() => gateway.simulator.videos.held(point), PATIENCE).toBe(1);

  async function expectDelivered(job: JobObject, prompt: string): Promise<void> {
    expect(job).toMatchObject({ status: 'succeeded', estimated_cost: { amount: '0.4' } });
    expect([stage.made(prompt), await chargesOf(job)]).toEqual([1, 1]);
    const film = gateway.simulator.videos.videos.find((video) => video.prompt === prompt);
    const [content] = await stage.kept(job);
    expect(content?.equals(gateway.simulator.videos.film(film as never))).toBe(true);
  }

  async function expectFree(job: JobObject, error: object | null): Promise<void> {
    expect(job).toMatchObject({ error, usage: null, estimated_cost: { amount: '0' } });
    expect(await chargesOf(job)).toBe(0);
    expect(await stage.kept(job)).toEqual([]);
  }

  test.concurrent.each([
    ['the provider answers 500 after it created the video', '[[video create-500]] broke'],
    ['the answer is lost', '[[video create-reset]] lost'],
    ['the answer is lost and the video is listed late', '[[video create-reset]] [[video list-late]] late'],
    ['the status is unavailable for a while', '[[video status-500]] silent'],
    ['the download of the file is cut off', '[[video cut-content]] cut'],
  ])('a video is created once and charged once when %s', async (_, prompt) => {
    await expectDelivered(await run(prompt), prompt);
    expect(createRequests(prompt)).toBe(1);
  });

  test.concurrent('a video that two processes work on is created once, and only one of them settles it', async () => {
    for (const point of ['create', 'content'] as const) {
      const prompt = `[[video hold-${point}]] twice at ${point}`;
      const { id } = await stage.created(prompt);
      await isWaitingAt(point);
      await loseLease(id);
      const job = await stage.ended(id);
      gateway.simulator.videos.release(point);
      await expectDelivered(job, prompt);
      expect(await stage.get(id)).toEqual(job);
    }
  });

  test.concurrent('a video that certainly was not created is sent again', async () => {
    const prompt = '[[video create-500-before]] never taken';
    const { id } = await stage.created(prompt);
    await expect.poll(() => createRequests(prompt), PATIENCE).toBe(2);
    expect(await stage.get(id)).toMatchObject({ status: 'queued', error: null });
    await stage.cancel(id);
    await stage.ended(id);
    expect(stage.made(prompt)).toBe(0);
  });

  test.concurrent('of two identical videos without an answer neither is guessed, sent again or charged', async () => {
    const prompt = '[[video create-reset]] twins';
    const twins = [await stage.created(prompt), await stage.created(prompt)];
    for (const { id } of twins) {
      const job = await stage.ended(id);
      expect(job.status).toBe('failed');
      await expectFree(job, { code: 'upstream_error', message: expect.stringContaining('cannot be asked') });
    }
    expect(stage.made(prompt)).toBe(2);
  });

  test.concurrent.each([
    ['create-400', { code: 'invalid_parameter' }],
    ['create-moderated', { code: 'content_blocked' }],
    ['failed', { code: 'upstream_error' }],
    ['moderated', { code: 'content_blocked' }],
    ['gone', { code: 'upstream_error', message: expect.stringContaining('lost') }],
    ['gone-content', { code: 'upstream_error', message: expect.stringContaining('no longer has its file') }],
  ])('a video fails with a reason and without a charge when the provider answers %s', async (cue, error) => {
    const job = await run(`[[video ${cue}]] rejected`);
    expect(job.status).toBe('failed');
    await expectFree(job, error);
    expect(job.files.map(({ status }) => status)).toEqual(cue === 'gone-content' ? ['failed'] : []);
    // The provider's account must stay hidden.
    expect(JSON.stringify(job)).not.toMatch(/org-|sim-video/);
  });

  test.concurrent('the next route is used while no provider can have created the video', async () => {
    const prompt = 'far away';
    const job = await run(prompt, { model: 'film-far', duration_seconds: 4 });
    await expectDelivered(job, prompt);
  });

  test.concurrent.each([
    ['cannot be reached', 'film-nowhere', 'nobody home'],
    ['is at its limit', 'film', '[[video create-429]] busy'],
  ])('a video is retried while its provider %s, and can be cancelled meanwhile', async (_, model, prompt) => {
    const { id } = await stage.created(prompt, { model });
    const failures = async () =>
      (await gateway.query<{ failures: number }>(sql`select failures from jobs where subject = ${id}`))[0];
    await expect.poll(async () => (await failures())?.failures ?? 0, PATIENCE).toBeGreaterThanOrEqual(2);
    expect(await stage.get(id)).toMatchObject({ status: 'queued', error: null });
    expect((await stage.cancel(id)).status).toBe(200);
    const job = await stage.ended(id);
    expect(job.status).toBe('cancelled');
    await expectFree(job, null);
    expect(stage.made(prompt)).toBe(0);
  });

  test.concurrent('a cancellation is rejected if the provider cannot cancel, and the video finishes', async () => {
    const prompt = '[[video slow]] begun';
    const { id } = await stage.created(prompt);
    await expect.poll(() => stage.made(prompt), PATIENCE).toBe(1);
    await stage.until(id, ({ status }) => status === 'in_progress');
    const reply = await stage.cancel(id);
    expect([reply.status, await reply.json()]).toMatchObject([409, { type: 'job_not_cancellable' }]);
    await expectDelivered(await stage.ended(id), prompt);
  });

  test.concurrent('a cancelled video is stopped at a provider that supports it, and is not charged', async () => {
    const prompt = '[[video stay]] unwanted';
    const { id } = await stage.created(prompt, { model: 'made' });
    await expect.poll(() => stage.made(prompt), PATIENCE).toBe(1);
    expect((await stage.cancel(id)).status).toBe(200);
    const job = await stage.ended(id);
    expect(job.status).toBe('cancelled');
    await expectFree(job, null);
    const theirs = gateway.simulator.videos.videos.find((video) => video.prompt === prompt);
    expect(theirs?.cancelledAt).not.toBeNull();
  });

  test.concurrent('a failed video that its provider charges for is charged once', async () => {
    const job = await run('[[video charged]] dear', { model: 'made' });
    expect(job).toMatchObject({ status: 'failed', usage: { videos: 0, seconds: 5 }, files: [] });
    expect([job.estimated_cost?.amount, await chargesOf(job)]).toEqual(['0.4', 1]);
  });

  test.concurrent('a request for two videos has two files and costs twice as much', async () => {
    const job = await run('a pair', { model: 'made', n: 2 });
    expect(job).toMatchObject({ status: 'succeeded', usage: { videos: 2, seconds: 10 } });
    expect(job.estimated_cost?.amount).toBe('0.8');
    expect(job.files.map(({ status }) => status)).toEqual(['ready', 'ready']);
    expect(await stage.kept(job)).toHaveLength(2);
  });
});
