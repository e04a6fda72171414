/** The videos of the provider with an interface of its own. */

import { systemClock } from '../../src/kernel/time.ts';
import type { ServedEndpoint } from '../batches/served.ts';
import { oneHeader, type RequestHeaders } from '../dialect.ts';
import { Refusal } from '../refusal.ts';
import { generic } from './generic.ts';
import { readGeneric } from './read-generic.ts';
import { readVideoCues } from './video-cues.ts';
import { justMade, type ShopVideo, type VideoLook, type VideoShop } from './video-shop.ts';

const DIALECT = 'generic';

const create: ServedEndpoint = {
  dialect: generic,
  method: 'POST',
  path: '/generic/video',
  async serve({ videos, reply, body, headers }) {
    const asked = readGeneric(body);
    const { prompt, clientId } = asked;
    const at = { prompt, key: clientId ?? prompt, reply };
    const cues = readVideoCues(prompt);
    if (!(await videos.hold('create-before', at))) return;
    if (cues.has('create-400')) throw new Refusal(400, 'No videos of this for acct_9tZq4LwXk2.');
    if (cues.has('create-429')) throw generic.failWith(429);
    if (cues.has('create-moderated')) throw new Refusal(400, MODERATED.text, { code: MODERATED.kind });
    if (cues.has('create-500-before')) throw generic.failWith(500);
    const made = videos.add({ ...asked, dialect: DIALECT }, 'gen-');
    if (!(await videos.hold('create', at))) return;
    if (cues.has('create-500')) throw generic.failWith(500);
    if (cues.has('create-reset')) reply.reset();
    else reply.sendJson(202, JSON.stringify({ job: jobObject(made, justMade, headers) }));
  },
};

const list: ServedEndpoint = {
  dialect: generic,
  method: 'GET',
  path: '/generic/video',
  serve({ videos, reply, query, headers }) {
    const wanted = query.get('client_id');
    const found = videos.list(DIALECT).filter(({ clientId }) => clientId === wanted);
    reply.sendJson(
      200,
      JSON.stringify({ jobs: found.map((video) => jobObject(video, videos.look(video), headers)) }),
    );
  },
};

const retrieve: ServedEndpoint = {
  dialect: generic,
  method: 'GET',
  path: '/generic/video/{video}',
  async serve({ videos, reply, params, headers }) {
    const video = videoOf(videos, params.video);
    if (video.cues.has('status-500') && videos.firstTime(`status ${video.id}`)) throw generic.failWith(500);
    if (!(await videos.hold('status', { prompt: video.prompt, key: video.id, reply }))) return;
    reply.sendJson(200, JSON.stringify({ job: jobObject(video, videos.look(video), headers) }));
  },
};

const stop: ServedEndpoint = {
  dialect: generic,
  method: 'POST',
  path: '/generic/video/{video}/stop',
  serve({ videos, reply, params, headers }) {
    const video = videoOf(videos, params.video);
    const { state } = videos.look(video);
    if (state !== 'queued' && state !== 'running') {
      throw new Refusal(409, 'It has ended.', { code: 'ended' });
    }
    video.cancelledAt = systemClock.now();
    reply.sendJson(200, JSON.stringify({ job: jobObject(video, videos.look(video), headers) }));
  },
};

const remove: ServedEndpoint = {
  dialect: generic,
  method: 'DELETE',
  path: '/generic/video/{video}',
  serve({ videos, reply, params }) {
    videoOf(videos, params.video).removed = true;
    reply.sendJson(200, '{}');
  },
};

const content: ServedEndpoint = {
  dialect: generic,
  method: 'GET',
  path: '/generic/files/{file}',
  async serve({ videos, reply, params }) {
    const video = videoOf(videos, params.file?.replace(/\.\d+\.mp4$/, ''));
    if (!(await videos.hold('content', { prompt: video.prompt, key: video.id, reply }))) return;
    if (video.cues.has('gone-content')) throw gone();
    await videos.send(video, reply);
  },
};

export const genericVideos: readonly ServedEndpoint[] = [create, list, retrieve, stop, remove, content];

const MODERATED = { kind: 'moderation', text: 'This was refused by the moderation of acct_9tZq4LwXk2.' };
const BROKEN = { kind: 'render', text: 'The worker of acct_9tZq4LwXk2 stopped.' };

const phases = {
  queued: 'waiting',
  running: 'rendering',
  succeeded: 'done',
  failed: 'error',
  cancelled: 'stopped',
};

function jobObject(video: ShopVideo, { state, progress }: VideoLook, headers: RequestHeaders): object {
  const done = state === 'succeeded';
  const billed = done || (state === 'failed' && video.cues.has('charged'));
  const tellsSeconds = billed && !video.cues.has('no-seconds');
  const host = oneHeader(headers, 'host') ?? '';
  // Another host as far as anybody can tell from its name.
  const origin = `http://${video.cues.has('elsewhere') ? host.replace('127.0.0.1', 'localhost') : host}`;
  const count = done && !video.cues.has('no-file') ? video.videos : 0;
  return {
    id: video.id,
    client_id: video.clientId,
    phase: phases[state],
    percent: progress,
    billed,
    ...(tellsSeconds && { billed_seconds: video.seconds * video.videos }),
    videos: Array.from({ length: count }, (_, i) => ({
      href: `${origin}/generic/files/${video.id}.${i}.mp4`,
    })),
    fault: state === 'failed' ? (video.cues.has('moderated') ? MODERATED : BROKEN) : null,
  };
}

function videoOf(videos: VideoShop, id: string | undefined): ShopVideo {
  const video = videos.find(id ?? '', DIALECT);
  if (video === null) throw gone();
  return video;
}

function gone(): Refusal {
  return new Refusal(404, 'There is no such thing.', { code: 'not_found' });
}
