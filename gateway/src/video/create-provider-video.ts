/** Creates a video at a provider, on the first route that accepts it. */
import { providerProblem } from '../calls/provider-problem.ts';
import type { Model } from '../catalog/model.ts';
import { Problem } from '../kernel/problem.ts';
import { type CreateResult, createOnce } from '../provider-jobs/create-once.ts';
import type { Again, Creation, ProviderJobTools, RouteTools, Turn } from '../provider-jobs/provider-job.ts';
import type { MediaInput } from '../providers/media-input.ts';
import type { ProviderVideo, VideoToCreate } from '../providers/video-provider.ts';
import { providerVideos } from './provider-videos.store.ts';
import type { VideoEnd } from './settle-video.ts';
import { type InputField, mapInputs, videoCallOf } from './video-call.ts';
import { endWithoutFiles, errorOf } from './video-end.ts';
import type { JobError, KeptRequest, LeasedVideo, VideoJob } from './video-jobs.store.ts';
import { type VideoRoute, videoRoutesFor } from './video-route.ts';

export interface CreateProviderVideoTools extends ProviderJobTools, RouteTools {
  /** What a provider gets for a URL of the request. Throws a Problem when the reference no longer exists. */
  openInput(field: InputField, video: VideoJob, to: VideoRoute): Promise<MediaInput>;
}

/**
 * Tries the routes of the model one after the other while no provider can have created the video. The provider of the
 * last attempt comes last.
 */
export async function createProviderVideo(
  leased: LeasedVideo,
  turn: Turn<CreateProviderVideoTools>,
): Promise<Creation<ProviderVideo, VideoEnd | Again>> {
  const { video } = leased;
  const { request } = video;
  const { tools } = turn;
  const model = tools.catalog().models.get(video.model);
  if (request === null || model === undefined) return failed(modelGone(video));
  let trouble: unknown = null;
  try {
    for (const to of routesFor(model, { video, request }, tools)) {
      const call = await callFor(video, { request, to }, tools);
      const result = await createAt(leased, { to, call }, turn);
      if ('remote' in result) return result;
      if ('rejected' in result) return failed(errorOf(providerProblem(result.rejected, to)));
      // The next turn sees why it is unwanted.
      if (result.unwanted) return { instead: { again: tools.clock.now() } };
      trouble = result.notCreated;
    }
  } catch (error) {
    // Thrown before anything was sent: no provider accepts an input or an option of the request now.
    if (error instanceof Problem && isRejection(error)) return failed(errorOf(error));
    throw error;
  }
  throw trouble;
}

function routesFor(
  model: Model,
  { video, request }: { video: VideoJob; request: KeptRequest },
  tools: CreateProviderVideoTools,
): VideoRoute[] {
  const routes = videoRoutesFor(model, videoCallOf(request), tools);
  const wasTried = ({ provider }: VideoRoute): number => (provider.name === video.provider ? 1 : 0);
  return routes.toSorted((a, b) => wasTried(a) - wasTried(b));
}

async function callFor(
  video: VideoJob,
  { request, to }: { request: KeptRequest; to: VideoRoute },
  tools: CreateProviderVideoTools,
): Promise<VideoToCreate['call']> {
  const call = videoCallOf(request);
  const inputs = await mapInputs(call.inputs, (field) => tools.openInput(field, video, to));
  return { ...call, inputs };
}

async function createAt(
  { video, job }: LeasedVideo,
  { to, call }: { to: VideoRoute; call: VideoToCreate['call'] },
  turn: Turn<CreateProviderVideoTools>,
): Promise<CreateResult<ProviderVideo>> {
  const { upstreamModel } = to.route;
  return await createOnce(
    {
      lease: job,
      table: providerVideos,
      intent: { provider: to.provider.name, details: { upstream_model: upstreamModel } },
      expiresAt: video.expiresAt,
      create: (mayAct, signal) => to.videos.create({ jobId: video.id, upstreamModel, call, mayAct }, signal),
      meaningOf(problem) {
        if (problem.status === TOO_MANY_REQUESTS) return 'not created';
        return isRejection(problem) ? 'rejected' : 'unknown';
      },
    },
    turn,
  );
}

const REQUEST_TIMEOUT = 408;
const TOO_MANY_REQUESTS = 429;

/** The same request would be rejected again. */
function isRejection({ status }: Problem): boolean {
  return status >= 400 && status < 500 && status !== REQUEST_TIMEOUT && status !== TOO_MANY_REQUESTS;
}

function failed(error: JobError): { readonly instead: VideoEnd } {
  return { instead: endWithoutFiles('failed', error) };
}

function modelGone({ model }: VideoJob): JobError {
  return { code: 'model_not_found', message: `The model ${model} is not offered any more.` };
}
