/** OpenAI's dialects, as the registry has them. */
import type { DialectAdapter } from '../dialect-adapter.ts';
import { idsInData, probeModelList } from '../probe-provider.ts';
import { openaiHeaders, openaiProvider } from './openai-provider.ts';

export const openaiAdapter: DialectAdapter = {
  create: openaiProvider,
  probe: probeModelList((settings) => ({
    path: '/models',
    headers: openaiHeaders(settings),
    names: idsInData,
    comparable: true,
    otherUrl: (url) => `${url}/v1`,
  })),
};

/** Azure lists models, but routes name deployments. */
export const azureOpenaiAdapter: DialectAdapter = {
  create: openaiProvider,
  probe: probeModelList((settings) => ({
    path: '/models',
    headers: openaiHeaders(settings),
    names: idsInData,
    comparable: false,
    otherUrl: (url) => `${url}/openai/v1`,
  })),
};
