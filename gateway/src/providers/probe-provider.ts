/**
 * Asks a provider for something that costs nothing, to see whether its key and address are right: the list of models where
 * the dialect has one, otherwise a request that the provider rejects before it does any work. A dialect chooses one of
 * these ways in its adapter.
 */
import type { ProviderSettings } from '../catalog/provider-settings.ts';
import { type Json, parseObject } from '../json/read-json.ts';
import { TransferClient } from '../net/transfer.ts';
import { UpstreamFailure } from '../net/upstream-call.ts';
import type { Provider, ProviderTools } from './provider.ts';

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
/** Where each model is asked about by itself. */
const MODELS_ASKED_MAX = 20;

export interface ProbeContext {
  readonly tools: ProviderTools;
  readonly signal: AbortSignal;
}

/** `models` are the names at the provider that routes use. Throws if there is no answer. */
export type ProbeProvider = (
  settings: ProviderSettings,
  models: readonly string[],
  context: ProbeContext,
) => Promise<ProviderProbe>;

/** Asks for the list of models, and compares it with the models of the routes. */
export function probeModelList(listAt: (settings: ProviderSettings) => ModelList): ProbeProvider {
  return async (settings, models, context) => {
    const list = listAt(settings);
    const ask = (baseUrl: string): Promise<Reply> =>
      fetchOnce({ baseUrl, path: list.path, headers: list.headers }, context);
    const reply = await ask(settings.baseUrl);
    if (reply.status !== 404) return judged(reply, list, models);
    const betterUrl = list.otherUrl(settings.baseUrl);
    const other = await ask(betterUrl).catch(() => null);
    const works = other !== null && (isRefusal(other) || namesIn(other, list) !== null);
    return { ...judged(reply, list, models), betterUrl: works ? betterUrl : null };
  };
}

/** The `id` of every entry of `data`, as most lists have it. */
export function idsInData(json: Json): unknown[] {
  return objectsIn(json.data).map((model) => model.id);
}

function judged(reply: Reply, list: ModelList, models: readonly string[]): ProviderProbe {
  const { status, headers } = reply;
  const date = headers.date ?? null;
  const facts = { status, betterUrl: null, date };
  if (isRefusal(reply)) return { ...facts, outcome: 'refused', unlisted: null };
  if (isFailing(status)) return { ...facts, outcome: 'failing', unlisted: null };
  const names = namesIn(reply, list);
  if (names === null) return { ...facts, outcome: 'address', unlisted: null };
  const unlisted = list.comparable ? models.filter((model) => !names.has(model)) : null;
  return { ...facts, outcome: 'answers', unlisted };
}

/** Some providers answer 400 to a wrong key. */
function isRefusal({ status, body }: Reply): boolean {
  if (isKeyRefused(status)) return true;
  return status === 400 && /api[ _]key/i.test(body.toString('utf8'));
}

/** Null if the answer is not a list of models. */
function namesIn({ status, body }: Reply, list: ModelList): Set<string> | null {
  const json = status === 200 ? parseObject(body.toString('utf8')) : null;
  if (json === null) return null;
  if (!Array.isArray(json.data) && !Array.isArray(json.models)) return null;
  return new Set(list.names(json).map(String));
}

/** Sends one request, and looks only at whether it is refused: for dialects without a list. */
export function probeRequest(
  request: (settings: ProviderSettings) => { path: string; headers: Readonly<Record<string, string>> },
): ProbeProvider {
  return async (settings, _, context) => {
    const { baseUrl } = settings;
    const { status, headers } = await fetchOnce({ baseUrl, ...request(settings) }, context);
    const outcome = isKeyRefused(status) ? 'refused' : isFailing(status) ? 'failing' : 'answers';
    return { outcome, status, betterUrl: null, unlisted: null, date: headers.date ?? null };
  };
}

/** Calls each model with an empty body, which is rejected before anything is generated. */
export function probeEachModel(
  create: (settings: ProviderSettings, tools: ProviderTools) => Provider,
  isUnknownModel: (status: number, body: string) => boolean,
): ProbeProvider {
  return async (settings, models, { tools, signal }) => {
    const provider = create(settings, tools);
    try {
      const asked = models.slice(0, MODELS_ASKED_MAX);
      const replies = await Promise.all(asked.map((model) => callEmpty(provider, model, signal)));
      const [first] = replies;
      if (first === undefined) throw new UpstreamFailure('aborted', new Error('no route names a model'));
      const { status } = first;
      const refused = replies.every((reply) => isKeyRefused(reply.status));
      const outcome = refused ? 'refused' : isFailing(status) ? 'failing' : 'answers';
      const unknown = replies.map((reply) => isUnknownModel(reply.status, reply.body.toString('utf8')));
      const unlisted = refused ? null : asked.filter((_, i) => unknown[i]);
      return { outcome, status, betterUrl: null, unlisted, date: null };
    } finally {
      await provider.close();
    }
  };
}

function callEmpty({ texts: [text] }: Provider, upstreamModel: string, signal: AbortSignal): Promise<Reply> {
  return new Promise((resolve, reject) => {
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
}

function isKeyRefused(status: number): boolean {
  return status === 401 || status === 403;
}

function isFailing(status: number): boolean {
  return status === 429 || status >= 500;
}

async function fetchOnce(
  { baseUrl, path, headers }: { baseUrl: string; path: string; headers: Readonly<Record<string, string>> },
  { tools, signal }: ProbeContext,
): Promise<Reply> {
  const client = new TransferClient({ baseUrl, ...tools });
  try {
    return await client.ask({ method: 'GET', path, headers, signal }, LIST_BYTES_MAX);
  } finally {
    client.close();
  }
}

export function objectsIn(value: unknown): Json[] {
  return Array.isArray(value)
    ? (value.filter((item) => typeof item === 'object' && item !== null) as Json[])
    : [];
}
