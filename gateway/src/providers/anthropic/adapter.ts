/** Anthropic's dialect, as the registry has it. */
import type { DialectAdapter } from '../dialect-adapter.ts';
import { idsInData, probeModelList } from '../probe-provider.ts';
import { anthropicHeaders, anthropicProvider } from './anthropic-provider.ts';

export const anthropicAdapter: DialectAdapter = {
  create: anthropicProvider,
  probe: probeModelList((settings) => ({
    path: '/v1/models?limit=1000',
    headers: anthropicHeaders(settings),
    names: idsInData,
    comparable: true,
    otherUrl: (url) => url.replace(/\/v1$/, ''),
  })),
};
