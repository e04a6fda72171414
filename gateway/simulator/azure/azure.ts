/** Azure's OpenAI: the same endpoints under another path, by another key, with other headers. */
import type { ServedEndpoint } from '../batches/served.ts';
import { type Dialect, oneHeader } from '../dialect.ts';
import { openAi } from '../openai/open-ai.ts';
import { readBearer } from '../openai/read-bearer.ts';
import { Refusal } from '../refusal.ts';
import type { Endpoint, Frame, Script } from '../script.ts';

const PREFIX = '/openai';

export const azure: Dialect = {
  ...openAi,
  host: 'simulated-resource-5k3d.openai.azure.com',
  modelsPath: PREFIX + openAi.modelsPath,
  speaks: (path) => path.startsWith(`${PREFIX}/`),
  readKey: (headers) => oneHeader(headers, 'api-key') ?? readBearer(headers),
  replyHeaders: (requestId, processingMs) => ({
    'x-request-id': requestId,
    'apim-request-id': 'b2c1f0d4-7d6f-4a55-9c1e-3f1d5c0a9e21',
    'x-ms-region': 'Simulated Central',
    'x-ms-deployment-name': 'simulated-deployment-8r1x',
    'azureml-model-session': 'd057-20260101000000',
    'openai-processing-ms': String(processingMs),
    'x-ratelimit-remaining-requests': '9999',
  }),
  missingKey: () => denied(),
  wrongKey: () => denied(),
  unknownPath: () => new Refusal(404, 'Resource not found', { code: '404' }),
};

/** The Azure twin of an endpoint of OpenAI's. */
export function onAzure(endpoint: Endpoint): Endpoint {
  return {
    ...endpoint,
    // An endpoint may have its own way to tell of errors in streams.
    dialect: { ...azure, refusalFrame: endpoint.dialect.refusalFrame },
    path: PREFIX + endpoint.path,
    read: (body, request) => {
      const script = endpoint.read(body, request);
      return endpoint.path.endsWith('/chat/completions') ? withFilterResults(script) : script;
    },
  };
}

export function servedOnAzure(endpoint: ServedEndpoint): ServedEndpoint {
  return { ...endpoint, dialect: azure, path: PREFIX + endpoint.path };
}

/** A stream of chat opens with what the filter thought of the prompt, in a frame without choices. */
function withFilterResults(script: Script): Script {
  const verdicts = ['hate', 'self_harm', 'sexual', 'violence'].map((name) => [
    name,
    { filtered: false, severity: 'safe' },
  ]);
  const opening = {
    choices: [],
    created: 0,
    id: '',
    model: '',
    object: '',
    prompt_filter_results: [{ prompt_index: 0, content_filter_results: Object.fromEntries(verdicts) }],
  };
  const first: Frame = { kind: 'start', text: `data: ${JSON.stringify(opening)}\n\n` };
  return { ...script, frames: (bill, chunks) => [first, ...script.frames(bill, chunks)] };
}

function denied(): Refusal {
  return new Refusal(
    401,
    'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an ' +
      'active subscription and use a correct regional API endpoint for your resource.',
    { code: '401' },
  );
}
