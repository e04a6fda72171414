/** OpenAI's videos: the adapter against the simulator over HTTP, and the simulator by OpenAI's own client. */
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drawColour } from '../../simulator/brain/colours.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { Problem } from '../../src/kernel/problem.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { NotSent } from '../../src/providers/not-sent.ts';
import { openaiProvider } from '../../src/providers/openai/openai-provider.ts';
import { FileGone, type ProviderVideo, type VideoProvider } from '../../src/providers/video-provider.ts';
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

const MODEL = 'sim-video';
const picture = drawColour('red');

let simulator: Simulator;
let provider: ReturnType<typeof openaiProvider>;
let videos: VideoProvider;
beforeAll(async () => {
  simulator = await startSimulator({ apiKey: API_KEY, videoMs: 60 });
  provider = openaiProvider(settingsOf({ dialect: 'openai', baseUrl: simulator.url }), tools);
  videos = provider.videos as VideoProvider;
});
afterAll(async () => {
  await provider.close();
  await simulator.stop();
});

const create = (prompt: string, more = {}): Promise<ProviderVideo> =>
  videos.create(toCreate(MODEL, callFor(prompt, more)), signal);

describe('a video', () => {
  test('is made as it was asked for, tells its progress, and can be fetched and removed', async () => {
    const image = inputOf(picture, 'image/png');
    const made = await create('a red kite', {
      ...{ seconds: 8, aspectRatio: '16:9', resolution: '720p' },
      inputs: { ...noInputs, image },
    });
    expect(made).toMatchObject({ state: 'queued', files: [], problem: null, seconds: 8, charged: false });
    const [shop] = simulator.videos.videos;
    expect(shop).toMatchObject({ id: made.id, width: 1280, height: 720, seconds: 8, prompt: 'a red kite' });
    const seen: ProviderVideo[] = [];
    const ended = await untilEnded(videos, made.id, seen);
    expect(ended).toMatchObject({ state: 'succeeded', progress: 100, seconds: 8, problem: null });
    const progress = seen.map((look) => look.progress as number);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    const [file] = ended.files;
    if (file === undefined || shop === undefined) throw new Error('there is no file');
    expect(file.mimeType).toBe('video/mp4');
    expect((await fetchFile(videos, file)).equals(simulator.videos.film(shop))).toBe(true);
    await videos.remove?.(made.id, signal);
    await videos.remove?.(made.id, signal);
    expect(await videos.status(made.id, signal)).toBeNull();
    await expect(fetchFile(videos, file)).rejects.toThrow(FileGone);
  });

  test('goes with its picture, byte for byte, or by the name that the provider has for it', async () => {
    const sent = (prompt: string) =>
      simulator.waitFor(({ bytes }) => bytes.includes(`\r\n\r\n${prompt}\r\n`));
    await create('with bytes', { inputs: { ...noInputs, image: inputOf(picture, 'image/png') } });
    const { bytes, headers } = await sent('with bytes');
    expect(bytes.includes(picture)).toBe(true);
    expect(Number(headers['content-length'])).toBe(bytes.length);
    const asset = inputOf(picture, 'image/png', { asset: 'file-abc' });
    await create('by name', { inputs: { ...noInputs, image: asset } });
    const named = (await sent('by name')).bytes;
    expect(named.includes('name="input_reference[file_id]"\r\n\r\nfile-abc\r\n')).toBe(true);
    expect(named.includes(picture)).toBe(false);
  });

  test('that breaks off on its way is an error, and whole the next time', async () => {
    const made = await create('blue [[video cut-content]]');
    const { files } = await untilEnded(videos, made.id);
    const [file] = files as [ProviderVideo['files'][number]];
    await expect(fetchFile(videos, file)).rejects.toMatchObject({ name: 'UpstreamFailure', kind: 'cut' });
    expect((await fetchFile(videos, file)).length).toBeGreaterThan(1_000);
  });

  test.each([
    ['moderated', 'content_blocked'],
    ['failed', 'upstream_error'],
  ])('that ends %s says why, as %s and without names', async (cue, code) => {
    const made = await create(`a kite [[video ${cue}]]`);
    const ended = await untilEnded(videos, made.id);
    expect(ended).toMatchObject({ state: 'failed', files: [], charged: false, problem: { code } });
    expect(ended.problem?.detail).not.toMatch(/openai|org-/i);
  });

  test('that is gone, or whose file is, is reported as gone', async () => {
    const gone = await create('[[video gone]]');
    await expect.poll(() => videos.status(gone.id, signal)).toBeNull();
    const made = await create('[[video gone-content]]');
    const { files } = await untilEnded(videos, made.id);
    await expect(fetchFile(videos, files[0] as ProviderVideo['files'][number])).rejects.toThrow(FileGone);
  });
});

describe('a video that is not made', () => {
  test.each([
    [{ seconds: 5 }, 'invalid_parameter', 'seconds'],
    [{ resolution: '640x480' }, 'invalid_parameter', 'size'],
    [
      { inputs: { ...noInputs, image: inputOf(Buffer.from('no picture'), 'image/png') } },
      'invalid_parameter',
      null,
    ],
    [{ prompt: '[[video create-400]]' }, 'invalid_parameter', 'prompt'],
    [{ prompt: '[[video create-429]]' }, 'rate_limit_exceeded', null],
    [{ prompt: '[[video create-moderated]]' }, 'content_blocked', null],
    [{ prompt: '[[video create-500-before]]' }, 'upstream_error', null],
  ])('because of %j is refused with %s', async (more, code, param) => {
    const before = simulator.videos.videos.length;
    const thrown = await create('a kite', more).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(Problem);
    expect(thrown).toMatchObject({ code });
    if (param !== null) expect((thrown as Problem).param).toBe(param);
    expect((thrown as Problem).detail).not.toMatch(/openai|org-|sk-/i);
    expect(simulator.videos.videos.length).toBe(before);
  });

  test('because our key is wrong is nothing that the caller could mend', async () => {
    const wrong = openaiProvider(
      settingsOf({ dialect: 'openai', baseUrl: simulator.url, apiKey: new Secret('sk-wrong-key-1') }),
      tools,
    );
    const thrown = await wrong.videos?.create(toCreate(MODEL, callFor('x')), signal).catch((e: unknown) => e);
    expect(thrown).toMatchObject({ code: 'upstream_error' });
    await wrong.close();
  });

  test('because nobody is there was not sent', async () => {
    const absent = openaiProvider(
      settingsOf({ dialect: 'openai', baseUrl: `http://127.0.0.1:${await freePort()}/v1` }),
      tools,
    );
    await expect(absent.videos?.create(toCreate(MODEL, callFor('x')), signal)).rejects.toThrow(NotSent);
    await absent.close();
  });

  test('because it is no longer wanted was not sent, though all but its end was', async () => {
    const image = inputOf(picture, 'image/png');
    const call = callFor('unwanted', { inputs: { ...noInputs, image } });
    const unwanted = videos.create(toCreate(MODEL, call, { mayAct: async () => false }), signal);
    await expect(unwanted).rejects.toThrow(NotSent);
    expect(simulator.videos.made('unwanted')).toBe(0);
  });

  test.each(['create-reset', 'create-500'])(
    'as far as we heard (%s) leaves open whether it was',
    async (cue) => {
      const prompt = `${cue} it [[video ${cue}]]`;
      const thrown = await create(prompt).catch((error: unknown) => error);
      expect(thrown).not.toBeInstanceOf(NotSent);
      expect(simulator.videos.made(prompt)).toBe(1);
      const found = await videos.find(sentOf(MODEL, callFor(prompt)), signal);
      expect(found).toMatchObject({ id: simulator.videos.videos[0]?.id });
    },
  );
});

describe('looking for a video whose answer was lost', () => {
  test('finds the one with its prompt, size and length behind many others', async () => {
    const asked = { seconds: 8, resolution: '720p', aspectRatio: '16:9' };
    const { id } = await create('the lost one', asked);
    await create('the lost one', { ...asked, seconds: 4 });
    await create('the lost one', { ...asked, aspectRatio: '9:16' });
    for (let i = 0; i < 7; i++) await create(`another ${i}`, asked);
    expect(await videos.find(sentOf(MODEL, callFor('the lost one', asked)), signal)).toMatchObject({ id });
    expect(await videos.find(sentOf('sim-video-veo', callFor('the lost one', asked)), signal)).toBe('absent');
  });

  test('does not take what is known to be another, nor what is older than it', async () => {
    const { id } = await create('known');
    const isOther = async (other: string): Promise<boolean> => other === id;
    expect(await videos.find(sentOf(MODEL, callFor('known'), { isOther }), signal)).toBe('absent');
    const later = { sentAt: systemClock.now() + 10 * 60_000 };
    expect(await videos.find(sentOf(MODEL, callFor('known'), later), signal)).toBe('absent');
    expect(await videos.find(sentOf(MODEL, callFor('never asked')), signal)).toBe('absent');
  });

  test('cannot tell twins apart', async () => {
    await create('twins');
    await create('twins');
    expect(await videos.find(sentOf(MODEL, callFor('twins')), signal)).toBe('unknowable');
  });
});

test("OpenAI's own client makes, follows, lists, fetches and deletes a video", async () => {
  const client = new OpenAI({ baseURL: simulator.url, apiKey: API_KEY, maxRetries: 0 });
  const input_reference = await toFile(picture, 'red.png', { type: 'image/png' });
  const made = await client.videos.create({
    ...{ model: MODEL, prompt: 'a green leaf', seconds: '4', size: '1280x720', input_reference },
  });
  expect(made).toMatchObject({ object: 'video', status: 'queued', seconds: '4', size: '1280x720' });
  const stays = await client.videos.create({ model: MODEL, prompt: 'for ever [[video stay]]' });
  await expect(client.videos.delete(stays.id)).rejects.toMatchObject({ status: 400 });
  await expect(client.videos.downloadContent(stays.id)).rejects.toMatchObject({ status: 404 });
  await expect.poll(async () => (await client.videos.retrieve(made.id)).status).toBe('completed');
  const ids: string[] = [];
  for await (const { id } of client.videos.list({ limit: 3 })) ids.push(id);
  expect(ids).toContain(made.id);
  const bytes = Buffer.from(await (await client.videos.downloadContent(made.id)).arrayBuffer());
  expect(bytes.toString('latin1', 4, 8)).toBe('ftyp');
  expect(await client.videos.delete(made.id)).toMatchObject({ deleted: true });
  await expect(client.videos.create({ prompt: 'x', model: 'sim-chat' })).rejects.toMatchObject({
    status: 400,
  });
});
