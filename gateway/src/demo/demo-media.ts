/** The references and videos of the demo's past, with small files that can be opened. */
import type { Principal } from '../access/principal.ts';
import { ownerOf } from '../access/principal.ts';
import { claimJobs, enqueueJob, type LeasedJob } from '../jobs/jobs.store.ts';
import { HOUR_MS, MINUTE_MS } from '../kernel/durations.ts';
import { newId } from '../kernel/ids.ts';
import type { Instant } from '../kernel/time.ts';
import { insertMedia, listMedia } from '../media/media.store.ts';
import { NewReference } from '../media/upload-reference.ts';
import { writeIntent, writeRemoteId } from '../provider-jobs/provider-jobs.store.ts';
import type { CopiedFile } from '../video/copy-files.ts';
import { countUsage } from '../video/count-usage.ts';
import { VIDEO_WINDOW_MS } from '../video/create-video.ts';
import { providerVideos, writeProgress } from '../video/provider-videos.store.ts';
import { FilmReader } from '../video/read-mp4.ts';
import { settleVideo, type VideoEnd } from '../video/settle-video.ts';
import { EXPIRED, endWithoutFiles } from '../video/video-end.ts';
import { findVideoJob, insertVideoJob, type LeasedVideo, type VideoJob } from '../video/video-jobs.store.ts';
import { VIDEO_JOB } from '../video/video-state.ts';
import type { DemoEvent, DemoPast } from './demo-event.ts';
import type { DemoScene } from './demo-scene.ts';
import { SPACE } from './demo-workloads.ts';

interface DemoVideo {
  readonly at: Instant;
  readonly key: string;
  readonly model: string;
  readonly prompt: string;
  readonly seconds: number;
  readonly resolution: string;
  readonly minutes: number;
  readonly end: 'succeeded' | 'blocked' | 'broken' | 'cancelled' | 'expired';
}

export function mediaEvents(past: DemoPast): DemoEvent[] {
  const references = [
    { at: past.at(24, 10.4), key: 'sora-experiments', text: 'blue umbrella', colour: 'blue' },
    { at: past.at(12, 10.2), key: 'web-shop', text: 'green raincoat', colour: 'green' },
    { at: past.at(2, 14.4), key: 'sora-experiments', text: 'red kite', colour: 'red' },
  ];
  return [
    ...references.map((one) => ({ at: one.at, write: (scene: DemoScene) => writeReference(one, scene) })),
    ...videosOf(past).map((one) => ({ at: one.at, write: (scene: DemoScene) => writeVideo(one, scene) })),
  ];
}

function videosOf(past: DemoPast): DemoVideo[] {
  const film = { key: 'sora-experiments', model: 'sim-video', resolution: '720p', seconds: 8, minutes: 2 };
  const shop = { ...film, key: 'web-shop', model: 'sim-video-http', seconds: 5 };
  return [
    { ...film, at: past.at(24, 10.6), prompt: 'A blue umbrella opens in the rain', end: 'succeeded' },
    { ...shop, at: past.at(17, 15), prompt: 'A green raincoat on a windy pier', end: 'succeeded' },
    { ...film, at: past.at(14, 11), prompt: 'A famous actor praises the shop', end: 'blocked' },
    { ...shop, at: past.at(11, 16), prompt: 'A yellow boot in a puddle', end: 'cancelled', minutes: 1 },
    { ...film, at: past.at(9, 14.2), prompt: 'A purple tent at dawn', end: 'broken' },
    { ...shop, at: past.at(6, 15), prompt: 'An orange scarf in the wind', end: 'expired', minutes: 24 * 60 },
    {
      ...film,
      at: past.at(2, 14.5),
      prompt: 'A red kite over the sea',
      end: 'succeeded',
      resolution: '1024p',
    },
    { ...shop, at: past.minutesAgo(130), prompt: 'A white teapot in steam', end: 'succeeded' },
  ];
}

async function writeReference(
  { key, text, colour }: { key: string; text: string; colour: string },
  scene: DemoScene,
): Promise<void> {
  const { paintPrompt } = await import('../../simulator/brain/paint-prompt.ts');
  const principal = await scene.key(SPACE, key);
  const picture = paintPrompt(text, { width: 320, height: 200, colour, transparent: false, under: null });
  const request = { principal, track: 'file' as const, mimeType: 'image/png', requestBytes: picture.length };
  const reference = new NewReference(request, scene);
  await reference.append(picture);
  await reference.finish();
}

async function writeVideo(video: DemoVideo, scene: DemoScene): Promise<void> {
  const principal = await scene.key(SPACE, video.key);
  const held = await createJob(video, principal, scene);
  const { clock } = scene;
  await sendToProvider(video, held, scene);
  clock.forward(video.minutes * MINUTE_MS);
  const found = await findVideoJob(scene.tx, held.video.id);
  const end = await endOf(video, held, scene);
  const model = scene.catalog().models.get(video.model) ?? null;
  await settleVideo({ ...held, video: found ?? held.video }, { end, model }, scene);
}

async function createJob(video: DemoVideo, principal: Principal, scene: DemoScene): Promise<LeasedVideo> {
  const { tx, clock } = scene;
  const now = clock.now();
  const { spaceId, keyId, memberId } = principal;
  const id = newId('job', now);
  await enqueueJob(tx, { kind: VIDEO_JOB, subject: id, dueAt: now, now });
  await insertVideoJob(tx, {
    id,
    spaceId,
    keyId,
    memberId,
    owner: ownerOf(principal),
    model: video.model,
    request: { prompt: video.prompt, duration_seconds: video.seconds, resolution: video.resolution },
    metadata: { source: 'demo' },
    attribution: null,
    budgets: null,
    createdAt: now,
    expiresAt: now + VIDEO_WINDOW_MS,
  });
  const claim = { kinds: [VIDEO_JOB], now, expiredBefore: null, leaseUntil: now + HOUR_MS, jobsMax: 10 };
  const job = (await claimJobs(tx, claim)).find(({ subject }) => subject === id) as LeasedJob;
  return { job, video: (await findVideoJob(tx, id)) as VideoJob };
}

async function sendToProvider(video: DemoVideo, { job }: LeasedVideo, scene: DemoScene): Promise<void> {
  const { db, clock } = scene;
  const route = scene.catalog().models.get(video.model)?.routes[0];
  clock.forward(800);
  const details = { upstream_model: route?.upstreamModel ?? video.model };
  const intent = { provider: route?.provider ?? 'simulator', at: clock.now(), details };
  await writeIntent(db, job, { table: providerVideos, intent });
  await writeRemoteId(db, job, { table: providerVideos, remoteId: `demo-${job.subject}` });
  clock.forward(5_000);
  await writeProgress(db, job, { running: true, progress: 10, at: clock.now() });
}

async function endOf(video: DemoVideo, held: LeasedVideo, scene: DemoScene): Promise<VideoEnd> {
  switch (video.end) {
    case 'succeeded':
      return await succeed(video, held, scene);
    case 'cancelled':
      return endWithoutFiles('cancelled', null);
    case 'expired':
      return endWithoutFiles('expired', EXPIRED);
    default:
      return endWithoutFiles('failed', FAILURES[video.end]);
  }
}

const FAILURES = {
  blocked: { code: 'content_blocked', message: 'The provider rejected the prompt under its content policy.' },
  broken: { code: 'upstream_error', message: 'The provider could not make the video.' },
};

async function succeed(video: DemoVideo, { video: job }: LeasedVideo, scene: DemoScene): Promise<VideoEnd> {
  const { tx, clock } = scene;
  const { id: jobId, spaceId, owner } = job;
  const createdAt = clock.now();
  const facts = {
    spaceId,
    owner,
    jobId,
    position: 0,
    kind: 'video',
    mimeType: 'video/mp4',
    createdAt,
  } as const;
  await insertMedia(tx, { ...facts, id: newId('media', createdAt) });
  const files: CopiedFile[] = [];
  for (const media of await listMedia(tx, jobId))
    files.push({ media, copy: await writeFilm(media.id, video, scene) });
  const { seconds } = video;
  const usage = countUsage({
    request: { duration_seconds: seconds, n: 1 },
    reported: seconds,
    made: 1,
    delivered: 1,
    measured: files.map(({ copy }) => copy?.film.seconds ?? null),
  });
  return { status: 'succeeded', error: null, files, charged: { usage } };
}

/** One colour, which the prompt names. */
async function writeFilm(id: string, { prompt, seconds, resolution }: DemoVideo, { keeper }: DemoScene) {
  const { encodeMp4 } = await import('../../simulator/brain/mp4.ts');
  const { chooseColour, colourOf } = await import('../../simulator/brain/colours.ts');
  const height = resolution === '1024p' ? 1_024 : 720;
  const width = height === 720 ? 1_280 : 1_792;
  const bytes = encodeMp4({
    width,
    height,
    seconds,
    fps: 24,
    colour: colourOf(chooseColour(prompt, () => 0)),
  });
  const blob = await keeper.write(id);
  const film = new FilmReader();
  film.push(bytes);
  await blob.append(bytes);
  await blob.commit();
  return { blob, film: film.facts() };
}
