/** Who called what in the demo's past: keys, the models that each uses, and how long prompts and answers are. */
import type { CallKind } from '../contract/paid-endpoints.ts';
import type { ImageKind } from '../pricing/price.ts';
import type { Weighted } from './demo-random.ts';

export interface Workload extends Weighted {
  readonly model: string;
  readonly endpoint: CallKind;
  readonly inputTokens: readonly [least: number, most: number];
  readonly outputTokens: readonly [least: number, most: number];
  /** The part of the prompt that is read from a cache. */
  readonly cached?: number;
  /** The part of the answer that is reasoning. */
  readonly reasoning?: number;
  /** How many of its calls are streamed. */
  readonly streamed?: number;
  readonly image?: ImageKind;
}

export interface DemoCaller extends Weighted {
  readonly space: string;
  readonly key: string;
  /** In days before the demo was started for the first time. */
  readonly fromDaysAgo: number;
  readonly untilDaysAgo: number;
  readonly workloads: readonly Workload[];
  /** The tag of its calls. */
  readonly team?: string;
  /** How many end users its calls name. */
  readonly endUsers?: number;
}

export const SPACE = 'demo';
export const RESEARCH = 'research';
/** A model that had no price yet when it was used, and was removed since. */
export const PREVIEW_MODEL = 'sim-preview';

const chat = { endpoint: 'chat', streamed: 0.8 } as const;
const agent = { model: 'sim-claude', endpoint: 'messages', cached: 0.6, streamed: 1 } as const;

const support: readonly Workload[] = [
  { ...chat, model: 'sim-chat-classic', weight: 4, inputTokens: [300, 4_000], outputTokens: [60, 600] },
  { ...chat, model: 'sim-gemini', weight: 3, inputTokens: [2_000, 40_000], outputTokens: [150, 1_400] },
];

const shop: readonly Workload[] = [
  {
    ...chat,
    model: 'sim-chat',
    weight: 6,
    inputTokens: [900, 24_000],
    outputTokens: [150, 1_800],
    cached: 0.3,
  },
  { ...chat, model: 'sim-gemini', weight: 2, inputTokens: [1_500, 60_000], outputTokens: [200, 1_600] },
  { ...agent, weight: 2, inputTokens: [3_000, 60_000], outputTokens: [250, 2_600] },
];

const coding: readonly Workload[] = [
  { ...agent, weight: 5, inputTokens: [18_000, 190_000], outputTokens: [700, 7_000] },
  {
    model: 'sim-responses-only',
    endpoint: 'responses',
    weight: 2,
    streamed: 0.9,
    reasoning: 0.4,
    inputTokens: [6_000, 90_000],
    outputTokens: [900, 8_000],
  },
];

const research: readonly Workload[] = [
  {
    model: 'sim-research-1',
    endpoint: 'responses',
    weight: 4,
    reasoning: 0.5,
    inputTokens: [8_000, 70_000],
    outputTokens: [2_000, 12_000],
  },
  { ...chat, model: 'sim-gemini', weight: 2, inputTokens: [4_000, 80_000], outputTokens: [300, 3_000] },
];

const pictures: Workload = {
  model: 'sim-image',
  endpoint: 'images',
  weight: 2,
  inputTokens: [0, 0],
  outputTokens: [0, 0],
  image: { size: '1024x1024', quality: 'high' },
};

const index: Workload = {
  model: 'sim-embed',
  endpoint: 'embeddings',
  weight: 1,
  inputTokens: [1_500, 60_000],
  outputTokens: [0, 0],
};

const preview: Workload = {
  ...chat,
  model: PREVIEW_MODEL,
  weight: 1,
  inputTokens: [600, 6_000],
  outputTokens: [100, 900],
};

export const callers: readonly DemoCaller[] = [
  {
    space: SPACE,
    key: 'legacy-backend',
    weight: 9,
    fromDaysAgo: 61,
    untilDaysAgo: 41,
    workloads: shop,
    team: 'shop',
    endUsers: 40,
  },
  {
    space: SPACE,
    key: 'web-shop',
    weight: 10,
    fromDaysAgo: 43,
    untilDaysAgo: 0,
    workloads: shop,
    team: 'shop',
    endUsers: 40,
  },
  {
    space: SPACE,
    key: 'support-bot',
    weight: 9,
    fromDaysAgo: 58,
    untilDaysAgo: 0,
    workloads: support,
    team: 'support',
    endUsers: 25,
  },
  {
    space: SPACE,
    key: 'search-index',
    weight: 4,
    fromDaysAgo: 52,
    untilDaysAgo: 0,
    workloads: [index],
    team: 'search',
  },
  { space: SPACE, key: 'jonas-agent', weight: 5, fromDaysAgo: 60, untilDaysAgo: 0, workloads: coding },
  { space: SPACE, key: 'mina-notebook', weight: 4, fromDaysAgo: 60, untilDaysAgo: 0, workloads: coding },
  {
    space: SPACE,
    key: 'sora-experiments',
    weight: 4,
    fromDaysAgo: 47,
    untilDaysAgo: 0,
    workloads: [...research, pictures],
  },
  {
    space: SPACE,
    key: 'summer-event',
    weight: 4,
    fromDaysAgo: 56,
    untilDaysAgo: 27,
    workloads: support,
    team: 'shop',
    endUsers: 25,
  },
  { space: SPACE, key: 'ci-tests', weight: 3, fromDaysAgo: 50, untilDaysAgo: 13, workloads: support },
  { space: SPACE, key: 'preview-lab', weight: 3, fromDaysAgo: 38, untilDaysAgo: 22, workloads: [preview] },
  { space: RESEARCH, key: 'papers', weight: 5, fromDaysAgo: 34, untilDaysAgo: 0, workloads: research },
];
