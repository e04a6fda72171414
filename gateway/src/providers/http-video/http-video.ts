/** A provider of videos whose interface is described in the catalogue. */
import type { ProviderSettings } from '../../catalog/model.ts';
import type { Provider, ProviderTools } from '../provider.ts';
import { HttpVideos } from './videos.ts';

export function httpVideoProvider(settings: ProviderSettings, tools: ProviderTools): Provider {
  const { name, simulated, video } = settings;
  if (video === undefined) throw new Error(`the provider ${name} has no video settings`);
  const videos = new HttpVideos(settings, video, tools);
  return {
    name,
    simulated,
    texts: [],
    videos,
    close() {
      videos.close();
      return Promise.resolve();
    },
  };
}
