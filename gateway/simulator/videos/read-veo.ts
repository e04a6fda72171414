/** Reads what Veo is asked for, as strictly as it does. */
import { sniffMedia } from '../../src/kernel/sniff-media.ts';
import { isImage } from '../brain/is-image.ts';
import { traitsOf } from '../brain/models.ts';
import { invalid, unknownModel, unreadableImage } from '../google/refusals.ts';
import { type Json, record } from '../json.ts';
import type { VideoAsked } from './video-shop.ts';

const FPS = 24;
const SECONDS = [4, 6, 8];
const REFERENCES_MAX = 3;
const SAMPLES_MAX = 4;
const PARAMETERS = ['aspectRatio', 'resolution', 'durationSeconds', 'sampleCount', 'negativePrompt'];
const INSTANCE = ['prompt', 'image', 'lastFrame', 'referenceImages', 'video'];
/** Of the longer side, by the shorter one's name. */
const LONG_SIDES: Readonly<Record<string, readonly [number, number]>> = {
  '720p': [1280, 720],
  '1080p': [1920, 1080],
  '4k': [3840, 2160],
};

export function readVeo(body: unknown, model: string): Omit<VideoAsked, 'dialect'> {
  if (traitsOf(model)?.films !== true) throw unknownModel(model, 'predictLongRunning');
  const { instances, parameters } = record(body) ?? {};
  const [instance] = Array.isArray(instances) && instances.length === 1 ? instances.map(record) : [null];
  if (instance == null) throw invalid('Exactly one instance is expected.');
  const asked = record(parameters ?? {}) ?? {};
  refuseUnknown(instance, INSTANCE);
  refuseUnknown(asked, PARAMETERS);
  const { prompt } = instance;
  if (typeof prompt !== 'string' || prompt === '') throw invalid('`prompt` must not be empty.');
  const { aspectRatio = '16:9', resolution = '720p', durationSeconds = 8, sampleCount = 1 } = asked;
  const sides = typeof resolution === 'string' ? LONG_SIDES[resolution] : undefined;
  if (sides === undefined) throw unsupported('resolution', resolution);
  if (aspectRatio !== '16:9' && aspectRatio !== '9:16') throw unsupported('aspectRatio', aspectRatio);
  if (!SECONDS.includes(durationSeconds as number)) throw unsupported('durationSeconds', durationSeconds);
  const count = Number(sampleCount);
  if (!Number.isInteger(count) || count < 1 || count > SAMPLES_MAX) {
    throw unsupported('sampleCount', sampleCount);
  }
  checkInputs(instance);
  const long = resolution !== '720p' || instance.referenceImages !== undefined;
  if (long && durationSeconds !== 8) throw unsupported('durationSeconds', durationSeconds);
  const [width, height] = aspectRatio === '16:9' ? sides : sides.toReversed();
  return {
    model,
    prompt,
    clientId: null,
    width: width as number,
    height: height as number,
    seconds: durationSeconds as number,
    fps: FPS,
    videos: count,
  };
}

function checkInputs({ image, lastFrame, referenceImages = [], video }: Json): void {
  if (image !== undefined) checkImage(image);
  if (lastFrame !== undefined) {
    if (image === undefined) throw invalid('`lastFrame` needs an `image`.');
    checkImage(lastFrame);
  }
  if (!Array.isArray(referenceImages) || referenceImages.length > REFERENCES_MAX) {
    throw invalid(`At most ${REFERENCES_MAX} reference images are supported.`);
  }
  for (const reference of referenceImages.map(record)) {
    if (reference?.referenceType !== 'asset') throw unsupported('referenceType', reference?.referenceType);
    checkImage(reference.image);
  }
  if (video !== undefined) checkFilm(record(video) ?? {});
}

function checkImage(value: unknown): void {
  const { bytesBase64Encoded, mimeType } = record(value) ?? {};
  if (typeof mimeType !== 'string') throw invalid('`mimeType` is not set.');
  if (!isImage(decoded(bytesBase64Encoded), mimeType)) throw unreadableImage();
}

function checkFilm({ uri, encodedVideo, encoding }: Json): void {
  if (typeof uri === 'string') return;
  const film = encoding === 'video/mp4' && sniffMedia(decoded(encodedVideo)) === encoding;
  if (!film) throw invalid('Unable to process input video.');
}

function decoded(value: unknown): Buffer {
  if (typeof value === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(value) && value.length % 4 === 0) {
    return Buffer.from(value, 'base64');
  }
  throw invalid('`bytesBase64Encoded` is not base64.');
}

function refuseUnknown(given: Json, known: readonly string[]): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) throw invalid(`\`${unknown}\` isn't supported by this model.`);
}

function unsupported(name: string, value: unknown): Error {
  return invalid(`\`${name}\` ${JSON.stringify(value)} isn't supported by this model.`);
}
