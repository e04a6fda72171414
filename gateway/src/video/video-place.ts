/** Where a video can be made: the routes of its model that lead to a provider of videos. */
import type { Catalog } from '../catalog/catalog.ts';
import type { Model, UpstreamRoute } from '../catalog/model.ts';
import { Problem } from '../kernel/problem.ts';
import type { Provider } from '../providers/provider.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import type { VideoCall, VideoProvider } from '../providers/video-provider.ts';

export interface PlaceTools {
  readonly catalog: () => Catalog;
  readonly providers: Pick<ProviderRegistry, 'get'>;
}

export interface VideoPlace {
  readonly model: Model;
  readonly route: UpstreamRoute;
  readonly provider: Provider;
  readonly videos: VideoProvider;
}

/**
 * Those that can make this very video, in the order of their priority. Throws what the first has against it
 * when none can.
 */
export function placesFor(model: Model, call: VideoCall, { providers }: PlaceTools): VideoPlace[] {
  const places: VideoPlace[] = [];
  let refusal: Problem | null = null;
  for (const route of model.routes.toSorted((a, b) => a.priority - b.priority)) {
    const provider = providers.get(route.provider);
    const { videos } = provider;
    if (videos === undefined) continue;
    try {
      videos.check(call, route.upstreamModel);
      places.push({ model, route, provider, videos });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      refusal ??= error;
    }
  }
  if (places.length > 0) return places;
  const detail = `The model ${model.code} does not support /v1/video/generations.`;
  throw refusal ?? new Problem('model_not_found', { detail, param: 'model' });
}

/** What was begun at a provider ends there, whatever the catalogue says meanwhile. */
export function videosOf(name: string, { providers }: PlaceTools): VideoProvider {
  const { videos } = providers.get(name);
  if (videos === undefined) throw new Error(`the provider ${name} makes no videos any more`);
  return videos;
}
