/** Veo: the adapter against the simulator over HTTP. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { colourOf, drawColour } from '../../simulator/brain/colours.ts';
import { encodeMp4 } from '../../simulator/brain/mp4.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { Problem } from '../../src/kernel/problem.ts';
import { googleProvider } from '../../src/providers/google/google-provider.ts';
import { NotSent } from '../../src/providers/not-sent.ts';
import { isOwnOrigin, ProviderFiles } from '../../src/providers/provider-files.ts';
import { FileGone, type ProviderFile, type ProviderVideo } from '../../src/providers/video-provider.ts';
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

const MODEL = 'sim-video-veo';
const picture = drawColour('red');
const png = inputOf(picture, 'image/png');

let simulator: Simulator;
let provider: ReturnType<typeof googleProvider>;
let videos: NonNullable<ReturnType<typeof googleProvider>['videos']>;
beforeAll(async () => {
  simulator = await startSimulator({ apiKey: API_KEY, videoMs: 60 });
  provider = googleProvider(settingsOf({ dialect: 'google', baseUrl: `${simulator.origin}/v1beta` }), tools);
  videos = provider.videos as typeof videos;
});
afterAll(async () => {
  await provider.close();
  await simulator.stop();
});

const create = (prompt: string, more = {}): Promise<ProviderVideo> =>
  videos.create(toCreate(MODEL, callFor(prompt, more)), signal);

async function filesOf(prompt: string, more = {}): Promise<readonly ProviderFile[]> {
  const { id } = await create(prompt, more);
  return (await untilEnded(videos, id)).files;
}

describe('a video', () => {
  test('is made as it was asked for, as often as it was, and can be fetched with our key', async () => {
    const made = await create('two green leaves', {
      ...{ seconds: 8, aspectRatio: '9:16', resolution: '1080p', videos: 2 },
      inputs: { ...noInputs, image: png, lastFrame: png },
    });
    expect(made).toMatchObject({ state: 'running', progress: null, files: [], seconds: null });
    const [shop] = simulator.videos.videos;
    expect(shop).toMatchObject({ width: 1080, height: 1920, seconds: 8, videos: 2 });
    expect(made.id).toBe(`models/${MODEL}/operations/${shop?.id}`);
    const ended = await untilEnded(videos, made.id);
    expect(ended).toMatchObject({ state: 'succeeded', progress: 100, problem: null, charged: false });
    expect(ended.files).toHaveLength(2);
    for (const file of ended.files) {
      expect((await fetchFile(videos, file)).toString('latin1', 4, 8)).toBe('ftyp');
    }
    expect(videos.cancel).toBeUndefined();
    expect(videos.remove).toBeUndefined();
  });

  test('goes with what it begins from, as base64', async () => {
    const film = encodeMp4({ width: 64, height: 64, seconds: 1, fps: 24, colour: colourOf('blue') });
    const mp4 = inputOf(film, 'video/mp4');
    await create('with references', { inputs: { ...noInputs, references: [png, png], video: mp4 } });
    const sent = await simulator.waitFor(({ text }) => text.includes('with references'));
    const image = { bytesBase64Encoded: picture.toString('base64'), mimeType: 'image/png' };
    expect(sent.body).toEqual({
      instances: [
        {
          prompt: 'with references',
          referenceImages: [
            { image, referenceType: 'asset' },
            { image, referenceType: 'asset' },
          ],
          video: { encodedVideo: film.toString('base64'), encoding: 'video/mp4' },
        },
      ],
      parameters: {},
    });
    expect(sent.headers['x-goog-api-key']).toBe(API_KEY);
    const named = inputOf(film, 'video/mp4', { asset: 'https://example.test/files/1' });
    await create('by name', { inputs: { ...noInputs, video: named } });
    const byName = await simulator.waitFor(({ text }) => text.includes('by name'));
    expect(byName.text).toContain('"video":{"uri":"https://example.test/files/1"}');
  });

  test.each([
    ['moderated', 'content_blocked'],
    ['failed', 'upstream_error'],
    ['no-file', 'upstream_error'],
  ])('that ends %s says why, as %s and without names', async (cue, code) => {
    const { id } = await create(`a kite [[video ${cue}]]`);
    const ended = await untilEnded(videos, id);
    expect(ended).toMatchObject({ state: 'failed', files: [], charged: false, problem: { code } });
    expect(ended.problem?.detail).not.toMatch(/google|gemini/i);
  });

  test('that is gone, or whose file is, is reported as gone', async () => {
    const { id } = await create('[[video gone]]');
    await expect.poll(() => videos.status(id, signal)).toBeNull();
    const [file] = await filesOf('[[video gone-content]]');
    await expect(fetchFile(videos, file as ProviderFile)).rejects.toThrow(FileGone);
  });
});

describe('a video that is not made', () => {
  test.each([
    [{ seconds: 5 }, 'invalid_parameter'],
    [{ resolution: '480p' }, 'invalid_parameter'],
    [{ aspectRatio: '1:1' }, 'invalid_parameter'],
    [{ videos: 9 }, 'invalid_parameter'],
    [
      { inputs: { ...noInputs, image: inputOf(Buffer.from('no picture'), 'image/png') } },
      'invalid_parameter',
    ],
    [{ prompt: '[[video create-400]]' }, 'invalid_parameter'],
    [{ prompt: '[[video create-429]]' }, 'rate_limit_exceeded'],
    [{ prompt: '[[video create-500-before]]' }, 'upstream_error'],
  ])('because of %j is refused with %s', async (more, code) => {
    const before = simulator.videos.videos.length;
    const thrown = await create('a kite', more).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(Problem);
    expect(thrown).toMatchObject({ code });
    expect(simulator.videos.videos.length).toBe(before);
  });

  test('because nobody is there was not sent', async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}/v1beta`;
    const absent = googleProvider(settingsOf({ dialect: 'google', baseUrl }), tools);
    await expect(absent.videos?.create(toCreate(MODEL, callFor('x')), signal)).rejects.toThrow(NotSent);
    await absent.close();
  });

  test('because it is no longer wanted was not sent, though all but its end was', async () => {
    const call = callFor('unwanted', { inputs: { ...noInputs, image: png } });
    const unwanted = videos.create(toCreate(MODEL, call, { mayAct: async () => false }), signal);
    await expect(unwanted).rejects.toThrow(NotSent);
    expect(simulator.videos.made('unwanted')).toBe(0);
  });

  test.each(['create-reset', 'create-500'])('as far as we heard (%s) cannot be looked for', async (cue) => {
    const prompt = `${cue} it [[video ${cue}]]`;
    const thrown = await create(prompt).catch((error: unknown) => error);
    expect(thrown).not.toBeInstanceOf(NotSent);
    expect(simulator.videos.made(prompt)).toBe(1);
    expect(await videos.find(sentOf(MODEL, callFor(prompt)), signal)).toBe('unknowable');
  });
});

describe('a file', () => {
  test('is followed to where it moved', async () => {
    const [file] = await filesOf('[[video moved-content]]');
    expect((await fetchFile(videos, file as ProviderFile)).length).toBeGreaterThan(1_000);
  });

  test('at another host that is not public is not fetched, and our key does not go there', async () => {
    const [file] = await filesOf('[[video elsewhere]]');
    expect(file?.place).toMatch(/^http:\/\/localhost:/);
    await expect(fetchFile(videos, file as ProviderFile)).rejects.toMatchObject({ code: 'upstream_error' });
    expect(simulator.calls.some(({ headers }) => headers.host?.includes('localhost'))).toBe(false);
  });

  test('at another host that the operator trusts is fetched without our key, also by a redirect', async () => {
    const seen: IncomingMessage[] = [];
    const server = createServer((request, reply) => {
      seen.push(request);
      if (request.url === '/there') reply.end('a film');
      else reply.writeHead(302, { location: `http://localhost:${port}/there` }).end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const files = new ProviderFiles(
      {
        baseUrl: `http://127.0.0.1:${port}/v1`,
        headers: { authorization: 'Bearer our-key' },
        hosts: ['localhost'],
        problem: () => new Problem('upstream_error'),
      },
      tools,
    );
    const pieces: Buffer[] = [];
    for await (const piece of files.open(`http://127.0.0.1:${port}/here`, signal)) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe('a film');
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer our-key', undefined]);
    files.close();
    server.close();
  });

  test.each([
    ['https://api.example.test/files/1', true],
    ['https://api.example.test:443/files/1', true],
    ['https://api.example.test:444/files/1', false],
    ['http://api.example.test/files/1', false],
    ['https://api.example.test.evil.test/files/1', false],
    ['https://evil.test/?https://api.example.test', false],
    ['https://api.example.test@evil.test/', false],
    ['https://evil.test@api.example.test/', false],
  ])('at %s is at our provider: %s', (address, own) => {
    expect(isOwnOrigin(new URL(address), 'https://api.example.test/v1')).toBe(own);
  });
});
