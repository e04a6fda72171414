/** The dialect that the configuration describes, as the registry has it. */
import type { DialectAdapter } from '../dialect-adapter.ts';
import { probeRequest } from '../probe-provider.ts';
import { httpVideoProvider } from './http-video-provider.ts';

export const httpVideoAdapter: DialectAdapter = {
  create: httpVideoProvider,
  // The status of a job that does not exist: its rejection shows that the key was accepted.
  probe: probeRequest(({ apiKey, video }) => ({
    path: (video?.status.path ?? '/').replaceAll('{id}', 'tollgate-check'),
    headers: {
      ...video?.headers,
      ...(!apiKey.empty &&
        video !== undefined && { [video.auth.header]: `${video.auth.prefix}${apiKey.reveal()}` }),
    },
  })),
};
