/** The routes of a model that lead to a provider of videos. */
import type { Model, UpstreamRoute } from '../catalog/model.ts';
import { Problem } from '../kernel/problem.ts';
import type { RouteTools } from '../provider-jobs/provider-job.ts';
import type { Provider } from '../providers/provider.ts';
import type { VideoCall, VideoProvider } from '../providers/video-provider.ts';

export interface VideoRoute {
  readonly model: Model;
  readonly route: UpstreamRoute;
  readonly provider: Provider;
  readonly videos: VideoProvider;
}

/** The routes that can make this video, by priority. If none can, throws the first provider's reason. */
export function videoRoutesFor(model: Model, call: VideoCall, { providers }: RouteTools): VideoRoute[] {
  const routes: VideoRoute[] = [];
  let rejection: Problem | null = null;
  for (const route of model.routes.toSorted((a, b) => a.priority - b.priority)) {
    const provider = providers.get(route.provider);
    const { videos } = provider;
    if (videos === undefined) continue;
    try {
      videos.check(call, route.upstreamModel);
      routes.push({ model, route, provider, videos });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      rejection ??= error;
    }
  }
  if (routes.length > 0) return routes;
  const detail = `The model ${model.code} does not support /v1/video/generations.`;
  throw rejection ?? new Problem('model_not_found', { detail, param: 'model' });
}

/** A video that was sent to a provider stays there, even if the catalogue changes. */
export function videoProviderOf(name: string, { providers }: RouteTools): VideoProvider {
  const { videos } = providers.get(name);
  if (videos === undefined) throw new Error(`the provider ${name} no longer offers videos`);
  return videos;
}
