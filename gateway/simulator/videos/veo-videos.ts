/** Veo at Google's Gemini API: long-running operations and the files that they leave. */
import type { ServedEndpoint } from '../batches/served.ts';
import { oneHeader, type RequestHeaders } from '../dialect.ts';
import { google } from '../google/google.ts';
import { Refusal } from '../refusal.ts';
import { readVeo } from './read-veo.ts';
import { readVideoCues } from './video-cues.ts';
import type { ShopVideo, VideoShop } from './video-shop.ts';

const DIALECT = 'google';

const create: ServedEndpoint = {
  dialect: google,
  method: 'POST',
  path: '/v1beta/models/{model}:predictLongRunning',
  async serve({ videos, reply, body, params }) {
    const asked = readVeo(body, params.model ?? '');
    const { prompt } = asked;
    const at = { prompt, key: prompt, reply };
    const cues = readVideoCues(prompt);
    if (!(await videos.hold('create-before', at))) return;
    if (cues.has('create-400')) throw new Refusal(400, 'No videos of this for projects/481516234299.');
    if (cues.has('create-429')) throw google.failWith(429);
    if (cues.has('create-moderated')) throw new Refusal(400, MODERATED);
    if (cues.has('create-500-before')) throw google.failWith(500);
    const made = videos.add({ ...asked, dialect: DIALECT }, '');
    if (!(await videos.hold('create', at))) return;
    if (cues.has('create-500')) throw google.failWith(500);
    if (cues.has('create-reset')) reply.reset();
    else reply.sendJson(200, JSON.stringify({ name: nameOf(made) }));
  },
};

const retrieve: ServedEndpoint = {
  dialect: google,
  method: 'GET',
  path: '/v1beta/models/{model}/operations/{video}',
  async serve({ videos, reply, params, headers }) {
    const video = videoOf(videos, params.video);
    if (video.model !== params.model) throw gone();
    if (video.cues.has('status-500') && videos.firstTime(`status ${video.id}`)) throw google.failWith(500);
    if (!(await videos.hold('status', { prompt: video.prompt, key: video.id, reply }))) return;
    reply.sendJson(200, JSON.stringify(operation(video, videos, headers)));
  },
};

const download: ServedEndpoint = {
  dialect: google,
  method: 'GET',
  path: '/v1beta/files/{file}:download',
  async serve({ videos, reply, params, query }) {
    const video = videoOf(videos, params.file?.split('-')[0]);
    if (!(await videos.hold('content', { prompt: video.prompt, key: video.id, reply }))) return;
    if (query.get('alt') !== 'media' || video.cues.has('gone-content')) throw gone();
    if (video.cues.has('moved-content') && !query.has('moved')) {
      reply.send(302, { location: `/v1beta/files/${params.file}:download?alt=media&moved=1` }, '');
      return;
    }
    await videos.send(video, reply);
  },
};

export const veoVideos: readonly ServedEndpoint[] = [create, retrieve, download];

const MODERATED =
  "The prompt could not be submitted. This prompt contains words that violate Google's Responsible AI practices.";
const FILTERED =
  "Veo could not generate videos because the input image violates Gemini's usage policies. You will not be charged for this attempt.";

function operation(video: ShopVideo, videos: VideoShop, headers: RequestHeaders): object {
  const { state } = videos.look(video);
  const name = nameOf(video);
  if (state === 'queued' || state === 'running') return { name };
  if (state !== 'succeeded' && !video.cues.has('moderated')) {
    const message = 'Video generation failed in projects/481516234299. Please try again later.';
    return { name, done: true, error: { code: 13, message } };
  }
  const host = oneHeader(headers, 'host') ?? '';
  // Another host as far as anybody can tell from its name.
  const origin = `http://${video.cues.has('elsewhere') ? host.replace('127.0.0.1', 'localhost') : host}`;
  const uri = (i: number): string => `${origin}/v1beta/files/${video.id}-${i}:download?alt=media`;
  const samples = Array.from({ length: video.videos }, (_, i) => ({ video: { uri: uri(i) } }));
  const generateVideoResponse = video.cues.has('moderated')
    ? { raiMediaFilteredCount: video.videos, raiMediaFilteredReasons: [FILTERED] }
    : video.cues.has('no-file')
      ? {}
      : { generatedSamples: samples };
  const type = 'type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse';
  return { name, done: true, response: { '@type': type, generateVideoResponse } };
}

function nameOf({ model, id }: ShopVideo): string {
  return `models/${model}/operations/${id}`;
}

function videoOf(videos: VideoShop, id: string | undefined): ShopVideo {
  const video = videos.find(id ?? '', DIALECT);
  if (video === null) throw gone();
  return video;
}

function gone(): Refusal {
  return new Refusal(404, 'Requested entity was not found.');
}
