/**
 * Videos under kill -9 of the real program; on PostgreSQL two processes share the jobs. The long form
 * (`npm run test:chaos`) runs 30 jobs with 50 kills.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { FAILS, runVideoChaos, type VideoChaosRun } from '../chaos/video-chaos.ts';
import { type Engine, engines } from '../support/engines.ts';

const kills = Number(process.env.TOLLGATE_VIDEO_KILLS ?? 2);
const jobs = Number(process.env.TOLLGATE_VIDEOS ?? 7);

/** The short form mostly waits for leases to expire, so both engines run at the same time. */
const atOnce = kills <= 5;
const runs = new Map<Engine, Promise<VideoChaosRun>>();
const runOn = (engine: Engine): Promise<VideoChaosRun> => {
  const run = runs.get(engine) ?? runVideoChaos({ engine, jobs, kills });
  runs.set(engine, run);
  return run;
};

describe.each(engines)('videos under kill -9 on %s', (engine) => {
  let run: VideoChaosRun;
  beforeAll(
    async () => {
      const others = atOnce ? engines : [];
      await Promise.all([engine, ...others].map(runOn));
      run = await runOn(engine);
      process.stderr.write(
        `videos under kill -9 on ${engine}: ${kills} kills, ${run.ended.length} jobs, ` +
          `${run.ended.reduce((sum, { made }) => sum + made, 0)} videos made, ${run.charges.length} charges\n`,
      );
    },
    120_000 + kills * 20_000,
  );

  test('every job ends once, as it did at its provider, and retrying a request after a kill creates no second job', () => {
    for (const { job, prompt } of run.ended) {
      expect(job.status, prompt).toBe(prompt.includes(FAILS) ? 'failed' : 'succeeded');
    }
    expect([run.ended.length, run.jobs, run.left]).toEqual([jobs, jobs, 0]);
  });

  test('no video is created twice at its provider', () => {
    expect(run.ended.map(({ made }) => made)).toEqual(run.ended.map(() => 1));
  });

  test('each video is charged once, or not at all if it failed, and the books agree', () => {
    const charged = new Map(run.charges.map(({ ref, spent }) => [ref, spent]));
    const succeeded = run.ended.filter(({ job }) => job.status === 'succeeded');
    expect(run.charges.length).toBe(succeeded.length);
    for (const { job } of run.ended) {
      expect(charged.get(job.id) ?? '0').toBe(job.estimated_cost?.amount);
    }
    expect(run.disagreements).toEqual([]);
  });

  test('each stored file equals what the provider made and what its row says', () => {
    for (const { job, sums } of run.ended) {
      expect(sums.length).toBe(job.status === 'succeeded' ? 1 : 0);
      for (const { kept, recorded, made } of sums) expect([kept, recorded]).toEqual([made, made]);
    }
  });
});
