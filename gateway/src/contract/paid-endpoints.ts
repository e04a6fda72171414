/**
 * Every kind of model, and every endpoint whose calls are charged, once. The catalogue, the calls, batches, repeats,
 * traces, reports and the console read these facts here. What runs is declared where it runs, in tables typed by this one,
 * which do not compile before a new endpoint has its part in each:
 *
 * - its shapes and errors: `model-call-endpoints.ts`
 * - its route: `http/routes/paid-routes.ts`
 * - its lines, if it runs in batches: `batches/line-kinds.ts`
 * - its requests and answers in the playground: `console/src/pages/playground/mode-calls.ts`
 *
 * Without the schema library: clients and the console read it too.
 */

/**
 * What the calls of a kind are charged for, beside fees for requests and tools. `price-import/check-sheet.ts` says
 * which prices each needs.
 */
export type PricedCount = 'input' | 'output' | 'cache' | 'images' | 'seconds';

interface Kind {
  /** In the answers. */
  readonly makes: 'text' | 'vectors' | 'images' | 'videos';
  readonly counts: readonly PricedCount[];
  /** Why no other model may answer its calls; null: another one may. */
  readonly noFallbacks: string | null;
  /** Its operation in traces, in the semantic conventions. */
  readonly trace: string;
  /** Whether lines of batches can be such calls. Then it has one endpoint, and its path is the `url` of a line. */
  readonly batch: boolean;
  /**
   * Whether it is JSON in one piece that servers of OpenAI's protocol have at the same path. Then they need no code for it:
   * bodies pass as they are (`relays` of a provider).
   */
  readonly relayed: boolean;
  /** Whether its calls can run in the background. */
  readonly background: boolean;
  readonly endpoints: Readonly<Record<string, PaidEndpoint>>;
}

interface PaidEndpoint {
  readonly path: string;
  /** The name under which answers are kept for repeats. Keys of idempotency of different names are different. */
  readonly repeats: string;
  /** Its name in the playground of the console; null: the playground does not make such calls. */
  readonly mode: string | null;
}

const text = {
  makes: 'text',
  counts: ['input', 'output', 'cache'],
  noFallbacks: null,
  trace: 'chat',
  relayed: false,
} as const;

/** By the name in `endpoints` of a model, which is also the `endpoint` of a recorded call. */
export const callKinds = {
  chat: {
    ...text,
    batch: true,
    background: false,
    endpoints: {
      createChatCompletion: { path: '/v1/chat/completions', repeats: 'chat', mode: 'chat' },
    },
  },
  responses: {
    ...text,
    batch: true,
    background: true,
    endpoints: {
      createResponse: { path: '/v1/responses', repeats: 'responses', mode: 'responses' },
    },
  },
  messages: {
    ...text,
    batch: false,
    background: false,
    endpoints: {
      createMessage: { path: '/v1/messages', repeats: 'messages', mode: 'messages' },
    },
  },
  embeddings: {
    makes: 'vectors',
    counts: ['input'],
    noFallbacks:
      'an embeddings model cannot have fallbacks, because vectors of different models cannot be compared',
    trace: 'embeddings',
    relayed: true,
    batch: true,
    background: false,
    endpoints: {
      createEmbedding: { path: '/v1/embeddings', repeats: 'embeddings', mode: 'embeddings' },
    },
  },
  images: {
    makes: 'images',
    counts: ['images'],
    noFallbacks: 'only text models can have fallbacks; this one makes images',
    trace: 'generate_content',
    relayed: false,
    batch: false,
    background: false,
    endpoints: {
      createImage: { path: '/v1/images/generations', repeats: 'images.generate', mode: 'image' },
      editImage: { path: '/v1/images/edits', repeats: 'images.edit', mode: null },
    },
  },
} as const satisfies Record<string, Kind>;

/** Videos are jobs: charged when they are finished, and never in the reply to a call. */
const video = {
  makes: 'videos',
  counts: ['seconds'],
  noFallbacks: 'only text models can have fallbacks; this one makes video',
  endpoints: { createVideo: { path: '/v1/video/generations' } },
} as const;

export const modelKinds = { ...callKinds, video } as const;

type Kinds = typeof callKinds;
export type CallKind = keyof Kinds;
/** The kinds of models: a model may have several. */
export type ModelEndpoint = keyof typeof modelKinds;

type EndpointsOf<Kind extends CallKind> = Kinds[Kind]['endpoints'];
/** The name of its operation in `endpoints.ts`. */
export type PaidEndpointName = { [Kind in CallKind]: keyof EndpointsOf<Kind> }[CallKind];
type FactOf<Name extends keyof PaidEndpoint> = {
  [Kind in CallKind]: EndpointsOf<Kind>[keyof EndpointsOf<Kind>] extends infer Declared
    ? Declared extends Record<Name, infer Fact>
      ? Fact
      : never
    : never;
}[CallKind];

export type RepeatsName = FactOf<'repeats'>;
export type PlayMode = Exclude<FactOf<'mode'>, null>;

type KindsWith<Fact extends 'batch' | 'relayed'> = {
  [Kind in CallKind]: Kinds[Kind][Fact] extends true ? Kind : never;
}[CallKind];

export type RelayedKind = KindsWith<'relayed'>;
/** The kinds that lines of batches can be. */
export type BatchKind = KindsWith<'batch'>;
export type BatchUrl = {
  [Kind in BatchKind]: EndpointsOf<Kind>[keyof EndpointsOf<Kind>] extends { path: infer Path } ? Path : never;
}[BatchKind];

/** A declared endpoint, with its kind. */
export interface Paid {
  readonly name: PaidEndpointName;
  readonly kind: CallKind;
  readonly path: string;
  readonly repeats: RepeatsName;
  readonly mode: PlayMode | null;
}

export const callKindNames = Object.keys(callKinds) as CallKind[];

export const paidEndpoints: readonly Paid[] = callKindNames.flatMap((kind) =>
  Object.entries(callKinds[kind].endpoints).map(
    ([name, endpoint]) => ({ name, kind, ...endpoint }) as unknown as Paid,
  ),
);

export function paidEndpoint(name: PaidEndpointName): Paid {
  return paidEndpoints.find((one) => one.name === name) as Paid;
}

export const modelEndpoints = Object.keys(modelKinds) as ModelEndpoint[];
export const textKinds = callKindNames.filter((kind) => callKinds[kind].makes === 'text');
export const relayedKinds = callKindNames.filter((kind): kind is RelayedKind => callKinds[kind].relayed);
export const batchKinds = callKindNames.filter((kind): kind is BatchKind => callKinds[kind].batch);

/** The paths of a kind of model. */
export function pathsOf(kind: ModelEndpoint): string[] {
  return Object.values(modelKinds[kind].endpoints).map(({ path }) => path);
}

/** Where lines of batches go, in the order of `batchKinds`. */
export const batchUrls = batchKinds.map((kind) => pathsOf(kind)[0] as BatchUrl);
