/** Videos of a provider that is described in the catalogue: the demo's own entry against the simulator. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drawColour } from '../../simulator/brain/colours.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import {
  type HttpVideoSettings,
  videoPlaceholders,
} from '../../src/catalog/dialects/http-video/http-video.ts';
import { readHttpVideo } from '../../src/catalog/dialects/http-video/read-http-video.ts';
import { readCatalog } from '../../src/catalog/read-catalog.ts';
import { readConfigFile } from '../../src/config/config-file.ts';
import { Problem } from '../../src/kernel/problem.ts';
import { adapters } from '../../src/providers/adapters.ts';
import { NotSent } from '../../src/providers/not-sent.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { ProviderRegistry } from '../../src/providers/registry.ts';
import {
  FileGone,
  type ProviderFile,
  type ProviderVideo,
  type VideoProvider,
} from '../../src/providers/video-provider.ts';
import {
  API_KEY,
  callFor,
  fetchFile,
  freePort,
  inputOf,
  noInputs,
  sentOf,
  settingsOf,
  signal,
  toCreate,
  tools,
  untilEnded,
} from '../support/video-stage.ts';

const MODEL = 'sim-video-http';
const picture = drawColour('red');
const png = inputOf(picture, 'image/png', { url: 'https://example.test/red.png' });

const demo = readFileSync(new URL('../../demo/tollgate.yaml', import.meta.url), 'utf8');
const entry = readConfigFile(demo, { TOLLGATE_SIMULATOR_URL: 'http://sim' }).providers['simulator-video'];
const described = readHttpVideo(entry?.video as NonNullable<NonNullable<typeof entry>['video']>, 'video');

let simulator: Simulator;
let videos: VideoProvider;
const opened: Provider[] = [];
beforeAll(async () => {
  simulator = await startSimulator({ apiKey: API_KEY, videoMs: 60 });
  videos = open();
});
afterAll(async () => {
  for (const provider of opened) await provider.close();
  await simulator.stop();
});

function open(more: Partial<HttpVideoSettings> = {}, baseUrl = `${simulator.origin}/generic`): VideoProvider {
  const registry = new ProviderRegistry(tools, adapters);
  registry.replace([settingsOf({ dialect: 'http-video', baseUrl, video: { ...described, ...more } })]);
  opened.push(registry.get('p'));
  return registry.get('p').videos as VideoProvider;
}

const create = (prompt: string, more = {}, jobId = prompt): Promise<ProviderVideo> =>
  videos.create(toCreate(MODEL, callFor(prompt, more), { jobId }), signal);

async function ended(prompt: string, more = {}): Promise<ProviderVideo> {
  return await untilEnded(videos, (await create(prompt, more)).id);
}

describe('a video', () => {
  test('is made as it was asked for, tells its progress and what it costs, and can be fetched and removed', async () => {
    const made = await create('a red kite', {
      ...{ seconds: 10, aspectRatio: '1:1', resolution: '480p', fps: 12, seed: 7, videos: 2 },
      inputs: { ...noInputs, image: png, references: [png] },
    });
    expect(made).toMatchObject({ state: 'queued', files: [], problem: null, charged: false });
    const [shop] = simulator.videos.videos;
    expect(shop).toMatchObject({
      id: made.id,
      clientId: 'a red kite',
      width: 480,
      height: 480,
      seconds: 10,
      fps: 12,
    });
    const done = await untilEnded(videos, made.id);
    expect(done).toMatchObject({ state: 'succeeded', progress: 100, seconds: 20, problem: null });
    expect(done.files).toHaveLength(2);
    for (const file of done.files) {
      expect((await fetchFile(videos, file)).toString('latin1', 4, 8)).toBe('ftyp');
    }
    await videos.remove?.(made.id, signal);
    await videos.remove?.(made.id, signal);
    expect(await videos.status(made.id, signal)).toBeNull();
    await expect(fetchFile(videos, done.files[0] as ProviderFile)).rejects.toThrow(FileGone);
  });

  test.each([
    ['data_url', `data:image/png;base64,${picture.toString('base64')}`],
    ['base64', picture.toString('base64')],
    ['url', 'https://example.test/red.png'],
  ] as const)('goes with its picture as %s, and says nothing that was not said', async (inputs, expected) => {
    const body = { ...(described.create.body as object), first_frame_type: '{{image_type}}' };
    const ways = open({
      inputs,
      create: { ...described.create, body, idempotencyHeader: 'Idempotency-Key' },
    });
    const call = callFor(`as ${inputs}`, { inputs: { ...noInputs, image: png } });
    await ways.create(toCreate(MODEL, call, { jobId: `job_${inputs}` }), signal);
    const sent = await simulator.waitFor(({ text }) => text.includes(`as ${inputs}`));
    expect(sent.body).toEqual({
      ...{ client_id: `job_${inputs}`, model: MODEL, prompt: `as ${inputs}`, count: 1 },
      ...{ first_frame: expected, first_frame_type: 'image/png' },
    });
    expect(sent.headers['idempotency-key']).toBe(`job_${inputs}`);
    expect(sent.headers['x-video-key']).toBe(`Key ${API_KEY}`);
    expect(sent.headers.authorization).toBeUndefined();
  });

  test('cannot be given an address where we have none', async () => {
    const ways = open({ inputs: 'url' });
    const image = inputOf(picture, 'image/png');
    const call = callFor('x', { inputs: { ...noInputs, image } });
    await expect(ways.create(toCreate(MODEL, call), signal)).rejects.toMatchObject({
      ...{ code: 'invalid_parameter', param: 'image_url' },
    });
  });

  test.each([
    ['moderated', 'failed', 'content_blocked', false, null],
    ['failed', 'failed', 'upstream_error', false, null],
    ['charged', 'failed', 'upstream_error', true, 5],
    ['cancelled', 'cancelled', null, false, null],
  ])('that ends %s is %s, with %s; charged: %s', async (cue, state, code, charged, seconds) => {
    const video = await ended(`a kite [[video ${cue}]]`, { seconds: 5 });
    expect(video).toMatchObject({ state, files: [], charged, seconds });
    expect(video.problem?.code ?? null).toBe(code);
    expect(video.problem?.detail ?? '').not.toMatch(/acct_/);
  });

  test('that does not tell its length, or leaves no file, says so', async () => {
    expect(await ended('[[video no-seconds]]')).toMatchObject({ state: 'succeeded', seconds: null });
    expect(await ended('[[video no-file]]')).toMatchObject({ state: 'succeeded', files: [] });
  });

  test('that is gone, or whose file is, is reported as gone', async () => {
    const { id } = await create('[[video gone]]');
    await expect.poll(() => videos.status(id, signal)).toBeNull();
    const { files } = await ended('[[video gone-content]]');
    await expect(fetchFile(videos, files[0] as ProviderFile)).rejects.toThrow(FileGone);
  });

  test('is stopped, once; where the provider cannot, nobody is offered to', async () => {
    const { id } = await create('[[video stay]]');
    await videos.cancel?.(id, signal);
    await videos.cancel?.(id, signal);
    expect(await videos.status(id, signal)).toMatchObject({ state: 'cancelled' });
    const { cancel, remove } = open({ cancel: null, remove: null });
    expect([cancel, remove]).toEqual([undefined, undefined]);
  });

  test('at another host is fetched only where the operator trusts it, and without our key', async () => {
    const [file] = (await ended('[[video elsewhere]]')).files as [ProviderFile];
    await expect(fetchFile(videos, file)).rejects.toMatchObject({ code: 'upstream_error' });
    const trusting = open({ fileHosts: ['localhost'] });
    // The simulator wants the key everywhere, and so refuses.
    await expect(fetchFile(trusting, file)).rejects.toMatchObject({ code: 'upstream_error' });
    const seen = await simulator.waitFor(({ headers }) => headers.host?.includes('localhost') === true);
    expect(seen.headers['x-video-key']).toBeUndefined();
  });
});

describe('a video that is not made', () => {
  test.each([
    [{ seconds: 31 }, 'invalid_parameter'],
    [{ resolution: '8k' }, 'invalid_parameter'],
    [
      { inputs: { ...noInputs, image: inputOf(Buffer.from('no picture'), 'image/png') } },
      'invalid_parameter',
    ],
    [{ prompt: '[[video create-400]]' }, 'invalid_parameter'],
    [{ prompt: '[[video create-429]]' }, 'rate_limit_exceeded'],
    [{ prompt: '[[video create-moderated]]' }, 'content_blocked'],
    [{ prompt: '[[video create-500-before]]' }, 'upstream_error'],
  ])('because of %j is refused with %s', async (more, code) => {
    const before = simulator.videos.videos.length;
    const thrown = await create('a kite', more).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(Problem);
    expect(thrown).toMatchObject({ code });
    expect((thrown as Problem).detail).not.toMatch(/acct_|example/);
    expect(simulator.videos.videos.length).toBe(before);
  });

  test('since the provider has no word for it is refused before it is sent', () => {
    expect(() => videos.check(callFor('x', { audio: true }), MODEL)).toThrow(
      expect.objectContaining({ code: 'invalid_parameter', param: 'generate_audio' }),
    );
    videos.check(callFor('x', { videos: 2, seed: 1, inputs: { ...noInputs, image: png } }), MODEL);
    const { count: _, ...body } = described.create.body as Record<string, unknown>;
    const single = open({ create: { ...described.create, body } });
    single.check(callFor('x'), MODEL);
    expect(() => single.check(callFor('x', { videos: 2 }), MODEL)).toThrow(
      expect.objectContaining({ param: 'n' }),
    );
  });

  test('because nobody is there was not sent; nor what is no longer wanted', async () => {
    const absent = open({}, `http://127.0.0.1:${await freePort()}`);
    await expect(absent.create(toCreate(MODEL, callFor('x')), signal)).rejects.toThrow(NotSent);
    const unwanted = toCreate(MODEL, callFor('unwanted'), { mayAct: async () => false });
    await expect(videos.create(unwanted, signal)).rejects.toThrow(NotSent);
    expect(simulator.videos.made('unwanted')).toBe(0);
  });
});

describe('looking for a video whose answer was lost', () => {
  test.each(['create-reset', 'create-500'])('finds it by our id (%s)', async (cue) => {
    const prompt = `lost [[video ${cue}]]`;
    const jobId = `job_${cue}`;
    const thrown = await create(prompt, {}, jobId).catch((error: unknown) => error);
    expect(thrown).not.toBeInstanceOf(NotSent);
    expect(simulator.videos.made(jobId)).toBe(1);
    const found = await videos.find(sentOf(MODEL, callFor(prompt), { jobId }), signal);
    expect(found).toMatchObject({ id: simulator.videos.videos[0]?.id });
  });

  test('says when there is none, when there are two, and when nobody can be asked', async () => {
    const find = (jobId: string, where = videos) =>
      where.find(sentOf(MODEL, callFor('x'), { jobId }), signal);
    expect(await find('job_never')).toBe('absent');
    await create('x', {}, 'job_twice');
    await create('x', {}, 'job_twice');
    expect(await find('job_twice')).toBe('unknowable');
    expect(await find('job_twice', open({ lookup: null }))).toBe('unknowable');
    const missing = open({ lookup: { path: '/nowhere/{client_id}', jobs: [] } });
    expect(await find('job_twice', missing)).toBe('absent');
  });
});

test('a provider is made anew when its description changes, and only then', () => {
  const registry = new ProviderRegistry(tools, adapters);
  const settings = settingsOf({ dialect: 'http-video', baseUrl: 'http://127.0.0.1:9', video: described });
  registry.replace([settings]);
  expect(registry.replace([{ ...settings, video: structuredClone(described) }])).toEqual([]);
  const states = new Map([...described.status.states, ['ready', 'succeeded' as const]]);
  const changed = { ...described, status: { ...described.status, states } };
  expect(registry.replace([{ ...settings, video: changed }])).toHaveLength(1);
});

test('the example of the documentation is a catalogue', () => {
  const page = readFileSync(new URL('../../../docs/video-providers.md', import.meta.url), 'utf8');
  const example = /<!-- example:begin -->\n```yaml\n(.*?)```\n<!-- example:end -->/s.exec(page)?.[1] ?? '';
  const { providers, models } = readCatalog(readConfigFile(example, { ACME_API_KEY: 'k' }), 0);
  expect(providers.map(({ dialect }) => dialect)).toEqual(['http-video']);
  expect([...models.keys()]).toEqual(['acme-film']);
  for (const word of videoPlaceholders) expect(page).toContain(`\`${word}\``);
});
