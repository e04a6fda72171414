/** Videos from the request to the file: what is accepted, what a job shows, and what it costs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drawColour } from '../../simulator/brain/colours.ts';
import { sql } from '../../src/database/sql.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';
import { newKey, setRate } from '../support/rates-stage.ts';
import { type ShiftedClock, shiftedClock } from '../support/shifted-clock.ts';
import { VideoStage, videoConfig } from '../support/video-jobs-stage.ts';

const DAY = 24 * 60 * 60;
const PNG = drawColour('blue');

describe.each(engines)('videos on %s', (engine) => {
  let gateway: TestGateway;
  let stage: VideoStage;
  let clock: ShiftedClock;
  beforeAll(async () => {
    clock = shiftedClock();
    gateway = await startGateway({ engine, config: videoConfig(), clock });
    stage = new VideoStage(gateway);
  });
  afterAll(async () => {
    // Whatever the tests did, the books agree.
    expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
    await gateway.stop();
  });

  const rowOf = async (id: string) =>
    (
      await gateway.query<{ request: unknown; settled: boolean; cost: string | null; charges: number }>(sql`
        select request, settled_at is not null as settled, trim_scale(cost)::text as cost,
          (select count(*) from journal where ref = video_jobs.id) as charges
        from video_jobs where id = ${id}`)
    )[0];

  test.concurrent('a job is accepted at once, shows its progress, and ends with its file, its seconds and its cost', async () => {
    const asked = { duration_seconds: 8, aspect_ratio: '16:9', resolution: '720p', metadata: { a: 'b' } };
    const made = await stage.created('[[video stay]] a red kite', asked);
    expect(made).toMatchObject({
      ...{ object: 'job', kind: 'video', model: 'film', status: 'queued', progress: null, files: [] },
      ...{ started_at: null, completed_at: null, usage: null, estimated_cost: null, error: null },
      ...{ metadata: { a: 'b' }, expires_at: made.created_at + DAY },
    });
    const running = await stage.until(made.id, ({ status }) => status === 'in_progress');
    expect(running.progress).toBeGreaterThanOrEqual(0);
    expect(running.started_at).toBeGreaterThanOrEqual(made.created_at);
    gateway.simulator.videos.finish('[[video stay]] a red kite');
    const job = await stage.ended(made.id);
    expect(job).toMatchObject({
      ...{ status: 'succeeded', progress: 100, error: null, metadata: { a: 'b' } },
      usage: { videos: 1, seconds: 8 },
      estimated_cost: { amount: '2', currency: 'unit' },
      files: [{ kind: 'video', mime_type: 'video/mp4', status: 'ready', duration_seconds: 8 }],
    });
    expect(job.files[0]).toMatchObject({ width: 1280, height: 720 });
    expect(job.expires_at).toBeGreaterThanOrEqual((job.completed_at ?? 0) + 30 * DAY);
    const [content] = await stage.kept(job);
    const { videos } = gateway.simulator;
    const film = videos.film(videos.videos.find(({ prompt }) => prompt.endsWith('red kite')) as never);
    expect(content?.equals(film)).toBe(true);
    expect(job.files[0]?.bytes).toBe(film.length);
    // The request is deleted and was never logged.
    expect(await rowOf(made.id)).toEqual({ request: null, settled: true, cost: '2', charges: 1 });
    expect(gateway.logged.join('\n')).not.toContain('red kite');
  });

  test.concurrent('progress never decreases, even if the provider reports less', async () => {
    const { id } = await stage.created('[[video stay]] steady', { model: 'made' });
    await stage.until(id, ({ progress }) => progress !== null);
    const theirs = gateway.simulator.videos.videos.find(({ clientId }) => clientId === id);
    const looks = (): number =>
      gateway.simulator.calls.filter(({ path }) => path === `/generic/video/${theirs?.id}`).length;
    // As if the provider had reported more before.
    await gateway.query(sql`update video_jobs set progress = 97 where id = ${id}`);
    const before = looks();
    await expect.poll(looks, PATIENCE).toBeGreaterThan(before + 2);
    expect((await stage.get(id)).progress).toBe(97);
    await stage.cancel(id);
    await stage.ended(id);
  });

  test.concurrent('without a requested length the default of the model is used and charged', async () => {
    const job = await stage.ended((await stage.created('plain')).id);
    expect(job).toMatchObject({ usage: { seconds: 4 }, estimated_cost: { amount: '0.4' } });
    expect(job.started_at).toBeGreaterThanOrEqual(job.created_at);
  });

  test.concurrent('without a price the cost is unknown, which is counted as unpriced and never shown as zero', async () => {
    const job = await stage.ended((await stage.created('unpriced', { model: 'film-unpriced' })).id);
    expect(job).toMatchObject({ status: 'succeeded', estimated_cost: null, usage: { videos: 1 } });
    expect(await rowOf(job.id)).toMatchObject({ settled: true, cost: null, charges: 0 });
    const [total] = await gateway.query(sql`
      select requests, unpriced from month_totals where model = 'film-unpriced'`);
    expect(total).toEqual({ requests: 1, unpriced: 1 });
  });

  test.concurrent('it is charged to the tags of its header and its metadata', async () => {
    const reply = await stage.create(
      { prompt: 'tagged', metadata: { team: 'body', film: 'kites' } },
      { 'x-tollgate-tags': 'team=header' },
    );
    const job = await stage.ended(((await reply.json()) as { id: string }).id);
    const { rows } = await gateway.admin('reports.usage', { space: 'acme', by: 'tag:film', and: 'tag:team' });
    const { amount } = job.estimated_cost ?? {};
    expect(rows.filter(({ name }) => name === 'kites')).toMatchObject([
      { kind: 'value', and_name: 'header', requests: 1, cost: amount },
    ]);
  });

  test.concurrent('an inline image becomes a reference, and reaches the provider unchanged', async () => {
    const url = `data:image/png;base64,${PNG.toString('base64')}`;
    const made = await stage.created('from inside', { image_url: url });
    const { bytes } = await gateway.simulator.waitFor(
      (call) => call.path === '/v1/videos' && call.bytes.includes('from inside'),
    );
    expect(bytes.includes(PNG)).toBe(true);
    await stage.ended(made.id);
    const [kept] = await gateway.query(sql`
      select kind, mime_type as type, bytes, track from reference_files order by created_at desc limit 1`);
    expect(kept).toEqual({ kind: 'image', type: 'image/png', bytes: PNG.length, track: 'file' });
  });

  test.each([
    [{ prompt: '' }, 'invalid_parameter', 'prompt'],
    [{ model: 'chat' }, 'model_not_found', 'model'],
    [{ model: 'nothing' }, 'model_not_found', 'model'],
    [{ duration_seconds: 5 }, 'invalid_parameter', 'duration_seconds'],
    [{ resolution: '8k' }, 'invalid_parameter', 'resolution'],
    [{ aspect_ratio: '1:1' }, 'invalid_parameter', 'aspect_ratio'],
    [{ n: 2 }, 'invalid_parameter', 'n'],
    [{ seed: 1 }, 'invalid_parameter', 'seed'],
    [{ video_url: 'svc-file://ref_x' }, 'invalid_parameter', 'video_url'],
    [{ image_url: 'svc-file://ref_x' }, 'invalid_parameter', 'image_url'],
    [{ image_url: 'http://example.com/a.png' }, 'invalid_parameter', 'image_url'],
    [{ image_url: 'data:image/png;base64,aGVsbG8=' }, 'invalid_parameter', 'image_url'],
    [{ image_url: 'data:image/png;base64,***' }, 'invalid_parameter', 'image_url'],
    [{ colour: 'red' }, 'invalid_parameter', 'colour'],
  ])('%j is rejected, naming the field, and leaves nothing behind', async (body, type, param) => {
    const count = () =>
      gateway.query(sql`select (select count(*) from video_jobs) as jobs,
      (select count(*) from reference_files) as refs, (select count(*) from pending_blobs) as blobs`);
    const before = await count();
    const reply = await stage.create(body);
    expect(await reply.json()).toMatchObject({ type, error: { param } });
    expect(await count()).toEqual(before);
  });

  test('the same Idempotency-Key returns the same job, and a different request under it is a conflict', async () => {
    const headers = { 'idempotency-key': 'once' };
    const ask = () => stage.create({ prompt: 'only once', seed: null }, headers);
    const replies = await Promise.all([ask(), ask(), ask()]);
    const accepted = replies.filter(({ status }) => status === 200);
    expect(replies.every(({ status }) => status === 200 || status === 409)).toBe(true);
    const ids = new Set<string>();
    for (const reply of [...accepted, await ask()]) ids.add(((await reply.json()) as { id: string }).id);
    expect(ids.size).toBe(1);
    const other = await stage.create({ prompt: 'something else' }, headers);
    expect(await other.json()).toMatchObject({ type: 'idempotency_conflict' });
    await stage.ended([...ids][0] as string);
    expect(stage.made('only once')).toBe(1);
  });

  test('a job of another space, a job of another owner and a missing job get the same answer', async () => {
    const job = await stage.created('mine');
    const { key: other } = await gateway.admin('keys.create', {
      name: 'other',
      kind: 'shared',
    });
    await gateway.admin('spaces.create', { name: `rival-${engine}`, overage: true });
    const { key: foreign } = await gateway.admin('keys.create', {
      ...{ name: 'foreign', kind: 'shared', space: `rival-${engine}` },
    });
    const absent = 'job_00000000000000000000000000';
    for (const path of ['', '/cancel']) {
      const bodies = new Set<string>();
      for (const [key, id] of [
        [other, job.id],
        [foreign, job.id],
        [gateway.key, absent],
        [gateway.key, 'job_x'],
      ] as const) {
        const method = path === '' ? 'GET' : 'POST';
        const reply = await new VideoStage(gateway, key).ask(`/v1/jobs/${id}${path}`, { method });
        expect(reply.status).toBe(404);
        bodies.add((await reply.text()).replaceAll(id, 'ID').replaceAll(/req_\w+/g, 'REF'));
      }
      expect(bodies.size).toBe(1);
    }
    await stage.ended(job.id);
  });

  test('a key at its unit limit or rate limit, and a blocked space, get no video', async () => {
    const space = 'acme';
    const limited = await newKey(gateway, 'limited');
    await gateway.admin('keys.limit', { name: 'limited', space, month_limit: '0.3' });
    const own = new VideoStage(gateway, limited);
    await own.ended((await own.created('the first')).id);
    const refusalOf = async (whose: VideoStage): Promise<unknown> =>
      ((await (await whose.create({ prompt: 'beyond' })).json()) as { type?: string }).type;
    const made = async (): Promise<number> => (await gateway.query(sql`select 1 from video_jobs`)).length;
    await expect.poll(() => refusalOf(own)).toBe('policy_limit_exceeded');
    const rated = new VideoStage(gateway, await newKey(gateway, 'rated'));
    await setRate(gateway, 'keys', 'rated', { requests: 1 });
    const first = await rated.create({ prompt: 'beyond' });
    expect([first.status, first.headers.get('x-ratelimit-remaining-requests')]).toEqual([200, '0']);
    const before = await made();
    expect(await refusalOf(own)).toBe('policy_limit_exceeded');
    expect(await refusalOf(rated)).toBe('rate_limit_exceeded');
    expect(await made()).toBe(before);
    await rated.ended(((await first.json()) as { id: string }).id);
    await gateway.admin('spaces.block', { space, blocked: true });
    await expect.poll(() => refusalOf(stage)).toBe('insufficient_units');
    await gateway.admin('spaces.block', { space, blocked: false });
  });

  test('a video that is not done within a day expires, and is not charged', async () => {
    const { id } = await stage.created('[[video stay]] for ever');
    await expect.poll(() => stage.made('[[video stay]] for ever')).toBe(1);
    clock.shift(DAY * 1_000);
    const job = await stage.ended(id);
    expect(job).toMatchObject({
      ...{ status: 'expired', error: { code: 'job_expired' }, files: [], usage: null },
      estimated_cost: { amount: '0' },
    });
    expect(await rowOf(id)).toMatchObject({ request: null, settled: false, charges: 0 });
    const late = await stage.cancel(id);
    expect([late.status, await late.json()]).toMatchObject([409, { type: 'job_not_cancellable' }]);
  });
});
