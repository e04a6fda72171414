/** What the models of OpenAI take, also at Azure: docs/model-traits.md#openai. Pure. */
import type { Effort, ModelTraits } from '../../model-traits.ts';
import { atLeast, type Version } from '../model-version.ts';

const GPT = /\bgpt-(\d)(?:\.(\d+))?(?![\d.o])-?([\w-]*)/;
/** Open weights, wherever they run: they take a temperature and stop sequences. */
const OPEN_WEIGHTS = /\bgpt-oss/;
const GPT_4O = /\b(?:gpt-4o|chatgpt-4o)/;
/** At the start, or after the name of an account or a fine-tuning: other names end in `-o1`, too. */
const O_SERIES = /(?:^|[/:])o(\d+)(-[\w-]*)?$/;
/** Models that are offered in the responses API only. */
const RESPONSES_ONLY = /(?:^|-)(?:pro|codex|deep-research)(?:-|$)/;

const upTo = (last: Effort, ...before: readonly Effort[]): readonly Effort[] => [...before, last];
const LOW_TO_HIGH = upTo('high', 'low', 'medium');
const LOW_TO_XHIGH = upTo('xhigh', ...LOW_TO_HIGH);
const LOW_TO_MAX = upTo('max', ...LOW_TO_XHIGH);

/** Neither stop sequences nor penalties are taken by a model that can think. */
const reasoning: Partial<ModelTraits> = {
  thinking: 'effort',
  efforts: LOW_TO_HIGH,
  thinksByDefault: true,
  thinkingOff: 'no',
  sampling: 'never',
  rejects: ['stop', 'penalties'],
  outputCapField: 'max_completion_tokens',
};

/** Null: not a model of OpenAI, or a deployment with a name of its own. */
export function gptTraits(name: string): Partial<ModelTraits> | null {
  const [, generation, variant = ''] = O_SERIES.exec(name) ?? [];
  if (generation !== undefined)
    return { ...reasoning, ...(RESPONSES_ONLY.test(variant) && { chat: 'never' }) };
  if (OPEN_WEIGHTS.test(name)) return { ...reasoning, sampling: 'always', rejects: [], outputCapField: null };
  if (GPT_4O.test(name)) return { thinking: 'none' };
  const [, major, minor, kind = ''] = GPT.exec(name) ?? [];
  if (major === undefined) return null;
  const version = { major: Number(major), minor: Number(minor ?? 0) };
  if (!atLeast(version, 5, 0)) return { thinking: 'none' };
  return { ...reasoning, ...ofFifth(version, kind) };
}

function ofFifth(version: Version, kind: string): Partial<ModelTraits> {
  const chat = RESPONSES_ONLY.test(kind) ? 'never' : toolsInChat(version);
  if (kind.startsWith('chat')) return ofChat(version);
  if (kind.startsWith('pro')) return { efforts: effortsOfPro(version), chat };
  if (kind.startsWith('codex')) return { efforts: effortsOfCodex(version, kind), chat };
  const efforts = effortsOf(version);
  if (!stops(version, kind)) return { efforts, chat };
  const thinksByDefault = atLeast(version, 5, 5);
  return { efforts, chat, thinksByDefault, thinkingOff: 'yes', sampling: 'without_thinking' };
}

/** Whether thinking can be switched off: in GPT-6 only with the smaller models, later not at all. */
function stops(version: Version, kind: string): boolean {
  if (!atLeast(version, 6, 0)) return atLeast(version, 5, 1);
  return !atLeast(version, 6, 1) && /^(?:sol|luna)/.test(kind);
}

function toolsInChat(version: Version): ModelTraits['chat'] {
  return atLeast(version, 5, 2) ? 'tools_without_thinking' : 'always';
}

function effortsOf(version: Version): readonly Effort[] {
  if (!atLeast(version, 5, 1)) return ['minimal', ...LOW_TO_HIGH];
  if (!atLeast(version, 5, 2)) return LOW_TO_HIGH;
  return atLeast(version, 5, 6) ? LOW_TO_MAX : LOW_TO_XHIGH;
}

function effortsOfPro(version: Version): readonly Effort[] {
  return atLeast(version, 5, 2) ? ['medium', 'high', 'xhigh'] : ['high'];
}

function effortsOfCodex(version: Version, kind: string): readonly Effort[] {
  return atLeast(version, 5, 2) || kind.includes('max') ? LOW_TO_XHIGH : LOW_TO_HIGH;
}

/** The models behind ChatGPT: the first does not think, later ones think as much as they like. */
function ofChat(version: Version): Partial<ModelTraits> {
  if (atLeast(version, 5, 1)) return { efforts: ['medium'] };
  return { thinking: 'none', thinksByDefault: false, sampling: 'always', rejects: [] };
}
