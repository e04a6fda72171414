/** Reads what the provider with an interface of its own is asked for. */
import { isImage } from '../brain/is-image.ts';
import { traitsOf } from '../brain/models.ts';
import { type Json, record } from '../json.ts';
import { Refusal } from '../refusal.ts';
import type { VideoAsked } from './video-shop.ts';

const FIELDS = [
  ...['client_id', 'model', 'prompt', 'duration', 'aspect', 'resolution', 'fps', 'seed', 'sound', 'count'],
  ...['first_frame', 'first_frame_type', 'last_frame', 'look_like', 'film', 'music'],
];
const SHORT_SIDES: Readonly<Record<string, number>> = { '480p': 480, '720p': 720, '1080p': 1080 };
const ASPECTS = ['16:9', '9:16', '1:1'];
const DATA_URL = /^data:([\w/+.-]+);base64,([A-Za-z0-9+/]*={0,2})$/;

export function readGeneric(body: unknown): Omit<VideoAsked, 'dialect'> {
  const asked = record(body);
  if (asked === null) throw bad('The body is no JSON object.');
  const unknown = Object.keys(asked).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) throw bad(`There is no field ${unknown}.`);
  const { client_id: clientId = null, model, prompt, duration = 5, count = 1, fps = 24 } = asked;
  if (clientId !== null && typeof clientId !== 'string') throw bad('client_id is no text.');
  if (typeof model !== 'string' || traitsOf(model)?.films !== true) throw bad('There is no such model.');
  if (typeof prompt !== 'string' || prompt === '') throw bad('prompt is missing.');
  checkFrame(asked.first_frame, asked.first_frame_type);
  checkFrame(asked.last_frame);
  const { look_like: likes = [] } = asked;
  if (!Array.isArray(likes)) throw bad('look_like is no list.');
  for (const like of likes) checkFrame(like);
  const { width, height } = readSize(asked);
  return {
    model,
    prompt,
    clientId,
    width,
    height,
    seconds: wholeNumber('duration', duration, [1, 30]),
    fps: wholeNumber('fps', fps, [12, 60]),
    videos: wholeNumber('count', count, [1, 4]),
  };
}

function readSize({ aspect = '16:9', resolution = '720p' }: Json): { width: number; height: number } {
  const short = typeof resolution === 'string' ? SHORT_SIDES[resolution] : undefined;
  if (short === undefined) throw bad(`resolution is one of ${Object.keys(SHORT_SIDES).join(', ')}.`);
  if (typeof aspect !== 'string' || !ASPECTS.includes(aspect))
    throw bad(`aspect is one of ${ASPECTS.join(', ')}.`);
  const long = Math.round((short * 16) / 9 / 2) * 2;
  if (aspect === '1:1') return { width: short, height: short };
  return aspect === '16:9' ? { width: long, height: short } : { width: short, height: long };
}

/** An address is accepted unchecked; data in the request is checked. */
function checkFrame(value: unknown, type?: unknown): void {
  if (value === undefined) return;
  if (typeof value !== 'string') throw bad('An image must be a string.');
  if (/^https?:\/\//.test(value)) return;
  const [, told, base64] = DATA_URL.exec(value) ?? ['', String(type), value];
  if (!isImage(Buffer.from(base64 ?? '', 'base64'), told ?? ''))
    throw bad('An image is not of its declared type.');
}

function wholeNumber(name: string, value: unknown, [least, most]: readonly [number, number]): number {
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most)
    return value as number;
  throw bad(`${name} is a whole number from ${least} to ${most}.`);
}

function bad(message: string): Refusal {
  return new Refusal(400, message, { code: 'bad_field' });
}
