/** Google's dialect, as the registry has it. */
import type { DialectAdapter } from '../dialect-adapter.ts';
import { objectsIn, probeModelList } from '../probe-provider.ts';
import { googleHeaders, googleProvider } from './google-provider.ts';

export const googleAdapter: DialectAdapter = {
  create: googleProvider,
  probe: probeModelList((settings) => ({
    path: '/models?pageSize=1000',
    headers: googleHeaders(settings),
    names: (json) => objectsIn(json.models).map(({ name }) => String(name).replace(/^models\//, '')),
    comparable: true,
    otherUrl: (url) => `${url}/v1beta`,
  })),
};
