/**
 * Asks a provider for something that costs nothing, to see whether its key and address are right: the list of models where
 * the dialect has one, otherwise a request that the provider rejects before it does any work.
 */
import type { ProviderSettings } from '../catalog/model.ts';
import { type Json, parseObject } from '../kernel/json/read-json.ts';
import { TransferClient } from '../net/transfer.ts';
import { UpstreamFailure } from '../net/upstream-call.ts';
import { anthropicHeaders } from './anthropic/anthropic-provider.ts';
import { bedrockProvider } from './bedrock/bedrock-provider.ts';
import { googleHeaders } from './google/google-provider.ts';
import { openaiHeaders } from './openai/openai-provider.ts';
import type { ProviderTools } from './provider.ts';

export interface ProviderProbe {
  /** `address`: it answers, but not as this dialect. `refused`: the key is not accepted. */
  readonly outcome: 'answers' | 'refused' | 'address' | 'failing';
  readonly status: number;
  /** The `base_url` that would work, if the configured one does not. */
  readonly betterUrl: string | null;
  /** Of the models that were asked about; null: this provider has no list to compare with. */
  readonly unlisted: readonly string[] | null;
  /** The `Date` header of the answer; null: it had none. */
  readonly date: string | null;
}

interface ModelList {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly names: (json: Json) => unknown[];
  /** False: routes name something else than what is listed. */
  readonly comparable: boolean;
  /** What is often missing at the end of `base_url`, or too much there. */
  readonly otherUrl: (baseUrl: string) => string;
}

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const LIST_BYTES_MAX = 8 * 1024 * 1024;
/** Bedrock is asked about each model by itself. */
const MODELS_ASKED_MAX = 20;

/** `models` are the names at the provider that routes use. Throws if there is no answer. */
export async function probeProvider(
  settings: ProviderSettings,
  models: readonly string[],
  { tools, signal }: { tools: ProviderTools; signal: AbortSignal },
): Promise<ProviderProbe> {
  if (settings.dialect === 'bedrock') return await probeBedrock(settings, models, { tools, signal });
  if (settings.dialect === 'http-video') return await probeVideo(settings, { tools, signal });
  const list = modelList(settings);
  const ask = (baseUrl: string): Promise<Reply> =>
    fetchOnce({ baseUrl, path: list.path, headers: list.headers }, { tools, signal });
  const reply = await ask(settings.baseUrl);
  if (reply.status !== 404) return judged(reply, list, models);
  const betterUrl = list.otherUrl(settings.baseUrl);
  const other = await ask(betterUrl).catch(() => null);
  const works = other !== null && (isRefusal(other) || namesIn(other, list) !== null);
  return { ...judged(reply, list, models), betterUrl: works ? betterUrl : null };
}

function modelList(settings: ProviderSettings): ModelList {
  const byId = (json: Json): unknown[] => listIn(json.data).map((model) => model.id);
  switch (settings.dialect) {
    case 'anthropic':
      return {
        path: '/v1/models?limit=1000',
        headers: anthropicHeaders(settings),
        names: byId,
        comparable: true,
        otherUrl: (url) => url.replace(/\/v1$/, ''),
      };
    case 'google':
      return {
        path: '/models?pageSize=1000',
        headers: googleHeaders(settings),
        names: (json) => listIn(json.models).map(({ name }) => String(name).replace(/^models\//, '')),
        comparable: true,
        otherUrl: (url) => `${url}/v1beta`,
      };
    default:
      return {
        path: '/models',
        headers: openaiHeaders(settings),
        names: byId,
        // Azure lists models, but routes name deployments.
        comparable: settings.dialect !== 'azure-openai',
        otherUrl: (url) => `${url}${settings.dialect === 'azure-openai' ? '/openai/v1' : '/v1'}`,
      };
  }
}

function judged(reply: Reply, list: ModelList, models: readonly string[]): ProviderProbe {
  const { status, headers } = reply;
  const date = headers.date ?? null;
  const facts = { status, betterUrl: null, date };
  if (isRefusal(reply)) return { ...facts, outcome: 'refused', unlisted: null };
  if (status === 429 || status >= 500) return { ...facts, outcome: 'failing', unlisted: null };
  const names = namesIn(reply, list);
  if (names === null) return { ...facts, outcome: 'address', unlisted: null };
  const unlisted = list.comparable ? models.filter((model) => !names.has(model)) : null;
  return { ...facts, outcome: 'answers', unlisted };
}

/** Google answers 400 to a wrong key. */
function isRefusal({ status, body }: Reply): boolean {
  if (status === 401 || status === 403) return true;
  return status === 400 && /api[ _]key/i.test(body.toString('utf8'));
}

/** Null if the answer is not a list of models. */
function namesIn({ status, body }: Reply, list: ModelList): Set<string> | null {
  const json = status === 200 ? parseObject(body.toString('utf8')) : null;
  if (json === null) return null;
  if (!Array.isArray(json.data) && !Array.isArray(json.models)) return null;
  return new Set(list.names(json).map(String));
}

/** A status request for a job that does not exist: its rejection shows that the key was accepted. */
async function probeVideo(
  settings: ProviderSettings,
  { tools, signal }: { tools: ProviderTools; signal: AbortSignal },
): Promise<ProviderProbe> {
  const { baseUrl, apiKey, video } = settings;
  const path = (video?.status.path ?? '/').replaceAll('{id}', 'tollgate-check');
  const headers = {
    ...video?.headers,
    ...(!apiKey.empty &&
      video !== undefined && { [video.auth.header]: `${video.auth.prefix}${apiKey.reveal()}` }),
  };
  const { status, headers: answered } = await fetchOnce({ baseUrl, path, headers }, { tools, signal });
  const outcome =
    status === 401 || status === 403 ? 'refused' : status === 429 || status >= 500 ? 'failing' : 'answers';
  return { outcome, status, betterUrl: null, unlisted: null, date: answered.date ?? null };
}

/** A call without messages is rejected before anything is generated. */
async function probeBedrock(
  settings: ProviderSettings,
  models: readonly string[],
  { tools, signal }: { tools: ProviderTools; signal: AbortSignal },
): Promise<ProviderProbe> {
  const provider = bedrockProvider(settings, tools);
  const [text] = provider.texts;
  const ask = (upstreamModel: string): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const pieces: Buffer[] = [];
      const call = text?.send(
        { upstreamModel, stream: false, body: Buffer.from('{}'), beta: null },
        {
          head: (status) => ({
            data: (chunk) => void pieces.push(Buffer.from(chunk)),
            end: () => resolve({ status, headers: {}, body: Buffer.concat(pieces) }),
            fail: reject,
          }),
          fail: reject,
        },
      );
      signal.addEventListener('abort', () => call?.abort(), { once: true });
    });
  try {
    const asked = models.slice(0, MODELS_ASKED_MAX);
    const replies = await Promise.all(asked.map(ask));
    const [first] = replies;
    if (first === undefined) throw new UpstreamFailure('aborted', new Error('no route names a model'));
    const { status } = first;
    const refused = replies.every((reply) => reply.status === 401 || reply.status === 403);
    const outcome = refused ? 'refused' : status === 429 || status >= 500 ? 'failing' : 'answers';
    const unlisted = asked.filter((_, i) => isUnknownModel(replies[i] as Reply));
    return { outcome, status, betterUrl: null, unlisted: refused ? null : unlisted, date: null };
  } finally {
    await provider.close();
  }
}

function isUnknownModel({ status, body }: Reply): boolean {
  return status === 404 || (status === 400 && /model identifier is invalid/i.test(body.toString('utf8')));
}

async function fetchOnce(
  { baseUrl, path, headers }: { baseUrl: string; path: string; headers: Readonly<Record<string, string>> },
  { tools, signal }: { tools: ProviderTools; signal: AbortSignal },
): Promise<Reply> {
  const client = new TransferClient({ baseUrl, ...tools });
  try {
    return await client.ask({ method: 'GET', path, headers, signal }, LIST_BYTES_MAX);
  } finally {
    client.close();
  }
}

function listIn(value: unknown): Json[] {
  return Array.isArray(value)
    ? (value.filter((item) => typeof item === 'object' && item !== null) as Json[])
    : [];
}
