/** `tollgate video` and `tollgate jobs`, as a user types them. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drawColour } from '../../simulator/brain/colours.ts';
import type { JobObject } from '../../src/contract/video.ts';
import { CommandProcess } from '../support/command-process.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { runCli } from '../support/run-cli.ts';
import { VideoStage, videoConfig } from '../support/video-jobs-stage.ts';

let gateway: TestGateway;
let stage: VideoStage;
let folder: string;
const commands = new CommandProcess();
beforeAll(async () => {
  gateway = await startGateway({ config: videoConfig() });
  stage = new VideoStage(gateway);
  folder = mkdtempSync(join(tmpdir(), 'tollgate-video-'));
});
afterAll(async () => {
  await commands.stop();
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...args: string[]) =>
  commands.run([...args, '--url', gateway.url], { env: { TOLLGATE_KEY: gateway.key } });
const filmOf = (wanted: string): Buffer => {
  const { videos } = gateway.simulator;
  return videos.film(videos.videos.find(({ prompt }) => prompt === wanted) as never);
};

test('a video is created from an image, watched and saved; its receipt can be read', async () => {
  const [picture, output] = [join(folder, 'cat.png'), join(folder, 'kite.mp4')];
  writeFileSync(picture, drawColour('red'));
  const asked = ['video', 'a kite', '--model', 'film', '--image', picture, '-o', output];
  const made = await run(...asked, '--seconds', '8', '--aspect', '16:9', '--resolution', '720p');
  expect(made.stderr).toContain('100 %  succeeded');
  expect(made.stderr).toContain(`Saved to ${output}.`);
  expect(made.stdout).toMatch(/seconds +8\nunits +2\n/);
  expect(made.code).toBe(0);
  expect(readFileSync(output).equals(filmOf('a kite'))).toBe(true);
  const [, id = ''] = /id +(job_\w+)/.exec(made.stdout) ?? [];
  const why = await runCli(['why', id, '--data', gateway.folder], {});
  expect(why.stdout).toMatch(/endpoint +video/);
  expect(why.stdout).toMatch(/usage_source +provider/);
  expect(why.stdout).toMatch(/second +8 +0\.25 +2\n/);
  // An existing file is neither paid for again nor overwritten.
  const again = await run(...asked);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('--force')]);
  expect(stage.made('a kite')).toBe(1);
});

test('without --wait the job is printed, and can be shown, waited for and cancelled', async () => {
  const asked = await run('video', '[[video stay]] later', '--model', 'film');
  const [, id = ''] = /tollgate jobs wait (job_\w+)/.exec(asked.stdout) ?? [];
  expect((await run('jobs', 'get', id)).stdout).toMatch(/status +(queued|in_progress)/);
  await expect.poll(() => stage.made('[[video stay]] later')).toBe(1);
  gateway.simulator.videos.finish('[[video stay]] later');
  const waited = await run('jobs', 'wait', id, '--json');
  expect(JSON.parse(waited.stdout) as JobObject).toMatchObject({ id, status: 'succeeded' });
  const late = await run('jobs', 'cancel', id);
  expect([late.code, late.stderr]).toEqual([1, expect.stringContaining('nothing left to cancel')]);
  const { id: waiting } = await stage.created('nowhere', { model: 'film-nowhere' });
  expect((await run('jobs', 'cancel', waiting)).stdout).toContain(waiting);
  const ended = await run('jobs', 'wait', waiting);
  expect([ended.code, ended.stdout]).toEqual([1, expect.stringMatching(/status +cancelled/)]);
});

test('an error has the words of the gateway', async () => {
  const refused = await run('video', 'x', '--model', 'film', '--seconds', '5');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('must be one of 4, 8, 12')]);
  expect((await run('video', 'x', '--model', 'film', '--seconds', 'long')).stderr).toContain(
    'a number alone means seconds',
  );
  expect((await run('video', 'x', '--model', 'film', '--image', '/none.png')).stderr).toContain('/none.png');
  expect((await run('jobs', 'get', 'job_x')).stderr).toContain('There is no job');
});
