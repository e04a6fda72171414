/** OpenAI's videos. */
import { unixSecondsOf } from '../../src/kernel/time.ts';
import { listPage, type ServedEndpoint } from '../batches/served.ts';
import { isImage } from '../brain/is-image.ts';
import { traitsOf } from '../brain/models.ts';
import { Form, type FormPart } from '../multipart.ts';
import {
  blockedByModeration,
  unreadableForm,
  unreadableImageFile,
  unsupportedMediaType,
} from '../openai/images-refusals.ts';
import { openAi } from '../openai/open-ai.ts';
import { missing, wrongValue } from '../openai/refusals.ts';
import { unknownParameter } from '../openai/responses-refusals.ts';
import { Refusal } from '../refusal.ts';
import { readVideoCues } from './video-cues.ts';
import { justMade, type ShopVideo, type VideoAsked, type VideoLook, type VideoShop } from './video-shop.ts';

const DIALECT = 'openai';
const FPS = 24;
const KEPT_SECONDS = 24 * 60 * 60;
const SECONDS = ['4', '8', '12'];
const SIZES = ['720x1280', '1280x720', '1024x1792', '1792x1024'];
const FIELDS = ['model', 'prompt', 'seconds', 'size', 'input_reference', 'input_reference[file_id]'];
const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/webp'];

const create: ServedEndpoint = {
  dialect: openAi,
  method: 'POST',
  path: '/v1/videos',
  async serve({ videos, reply, body }) {
    const asked = readVideo(body);
    const { prompt } = asked;
    const at = { prompt, key: prompt, reply };
    const cues = readVideoCues(prompt);
    if (!(await videos.hold('create-before', at))) return;
    if (cues.has('create-400')) throw wrongValue('prompt', 'No videos of this for org-9tZq4LwXk2VbN7mD.');
    if (cues.has('create-429')) throw openAi.failWith(429);
    if (cues.has('create-moderated')) throw blockedByModeration();
    if (cues.has('create-500-before')) throw openAi.failWith(500);
    const made = videos.add(asked, 'video_');
    if (!(await videos.hold('create', at))) return;
    if (cues.has('create-500')) throw openAi.failWith(500);
    if (cues.has('create-reset')) reply.reset();
    else reply.sendJson(200, JSON.stringify(videoObject(made, justMade)));
  },
};

const list: ServedEndpoint = {
  dialect: openAi,
  method: 'GET',
  path: '/v1/videos',
  serve({ videos, reply, query }) {
    const page = listPage(videos.list(DIALECT), query, (video) => videoObject(video, videos.look(video)));
    reply.sendJson(200, page);
  },
};

const retrieve: ServedEndpoint = {
  dialect: openAi,
  method: 'GET',
  path: '/v1/videos/{video}',
  async serve({ videos, reply, params }) {
    const video = videoOf(videos, params.video);
    if (video.cues.has('status-500') && videos.firstTime(`status ${video.id}`)) throw openAi.failWith(500);
    if (!(await videos.hold('status', { prompt: video.prompt, key: video.id, reply }))) return;
    reply.sendJson(200, JSON.stringify(videoObject(video, videos.look(video))));
  },
};

const content: ServedEndpoint = {
  dialect: openAi,
  method: 'GET',
  path: '/v1/videos/{video}/content',
  async serve({ videos, reply, params }) {
    const video = videoOf(videos, params.video);
    if (!(await videos.hold('content', { prompt: video.prompt, key: video.id, reply }))) return;
    const there = videos.look(video).state === 'succeeded' && !video.cues.has('gone-content');
    if (!there) throw new Refusal(404, `Video content of '${video.id}' is not available.`);
    await videos.send(video, reply);
  },
};

const remove: ServedEndpoint = {
  dialect: openAi,
  method: 'DELETE',
  path: '/v1/videos/{video}',
  serve({ videos, reply, params }) {
    const video = videoOf(videos, params.video);
    const { state } = videos.look(video);
    if (state !== 'succeeded' && state !== 'failed') {
      throw new Refusal(400, 'Only completed or failed videos can be deleted.');
    }
    video.removed = true;
    reply.sendJson(200, JSON.stringify({ id: video.id, object: 'video.deleted', deleted: true }));
  },
};

export const openAiVideos: readonly ServedEndpoint[] = [create, list, retrieve, content, remove];

function readVideo(body: unknown): VideoAsked {
  if (!(body instanceof Form)) throw unreadableForm();
  const unknown = body.parts.find(({ name }) => !FIELDS.includes(name));
  if (unknown !== undefined) throw unknownParameter(unknown.name);
  const { model = 'sim-video', prompt, seconds = '4', size = '720x1280' } = fieldsOf(body);
  if (prompt === undefined || prompt === '') throw missing('prompt');
  if (traitsOf(model)?.films !== true) throw wrongValue('model', `Invalid value: '${model}'.`);
  if (!SECONDS.includes(seconds)) throw oneOf('seconds', seconds, SECONDS);
  if (!SIZES.includes(size)) throw oneOf('size', size, SIZES);
  for (const file of body.files('input_reference')) checkImage(file);
  const [width, height] = size.split('x').map(Number) as [number, number];
  return {
    dialect: DIALECT,
    model,
    prompt,
    clientId: null,
    width,
    height,
    seconds: Number(seconds),
    fps: FPS,
    videos: 1,
  };
}

function fieldsOf(form: Form): Partial<Record<string, string>> {
  return Object.fromEntries(FIELDS.flatMap((name) => [[name, form.text(name)]]));
}

/** Unlike the real one it takes pictures that are not as large as the video. */
function checkImage({ name, mediaType, data }: FormPart): void {
  if (mediaType === null || !IMAGE_TYPES.includes(mediaType)) {
    throw unsupportedMediaType(name, mediaType ?? 'application/octet-stream', IMAGE_TYPES);
  }
  if (!isImage(data, mediaType)) throw unreadableImageFile(1);
}

function oneOf(param: string, got: string, supported: readonly string[]): Refusal {
  const names = supported.map((name) => `'${name}'`).join(', ');
  return wrongValue(param, `Invalid value: '${got}'. Supported values are: ${names}.`);
}

const failures = {
  moderated: {
    code: 'moderation_blocked',
    message:
      'Your request was blocked by our moderation system. Write to help.openai.com if it was not to be.',
  },
  failed: {
    code: 'video_generation_failed',
    message: 'The worker of org-9tZq4LwXk2VbN7mD stopped while it made the video.',
  },
};

const statuses = {
  queued: 'queued',
  running: 'in_progress',
  succeeded: 'completed',
  failed: 'failed',
  // There is no such word here.
  cancelled: 'failed',
};

function videoObject(video: ShopVideo, { state, progress }: VideoLook): object {
  const status = statuses[state];
  const created = unixSecondsOf(video.createdAt);
  const ended = status === 'completed' || status === 'failed' ? unixSecondsOf(video.endsAt) : null;
  return {
    id: video.id,
    object: 'video',
    model: video.model,
    status,
    progress,
    created_at: created,
    completed_at: ended,
    expires_at: ended === null ? null : ended + KEPT_SECONDS,
    size: `${video.width}x${video.height}`,
    seconds: String(video.seconds),
    prompt: video.prompt,
    remixed_from_video_id: null,
    error: status === 'failed' ? failures[video.cues.has('moderated') ? 'moderated' : 'failed'] : null,
  };
}

function videoOf(videos: VideoShop, id: string | undefined): ShopVideo {
  const video = videos.find(id ?? '', DIALECT);
  if (video === null) throw new Refusal(404, `Video with id '${id}' not found.`, { code: 'not_found' });
  return video;
}
