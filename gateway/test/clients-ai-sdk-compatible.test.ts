/** The AI SDK, unmodified, through its provider for servers that are compatible with OpenAI. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { aiSdkUse } from './clients/ai-sdk.ts';
import { dialects } from './clients/client-gateway.ts';
import { describeClient } from './clients/promises.ts';

const compatible = aiSdkUse({
  name: 'compatible',
  own: 'openai',
  model: ({ url, key }, name) =>
    createOpenAICompatible({
      ...{ name: 'tollgate', baseURL: `${url}/v1`, apiKey: key },
      // Unless it is told, it asks neither for the usage of streams nor for schemas.
      ...{ includeUsage: true, supportsStructuredOutputs: true },
    })(name),
  shows: dialects,
  thinking: { tollgate: { reasoningEffort: 'medium' } },
});

describeClient('the AI SDK with a compatible server', [compatible]);
