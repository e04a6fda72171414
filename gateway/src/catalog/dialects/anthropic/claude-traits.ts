/** What Claude models take: docs/model-traits.md#claude. Pure. */
import type { Effort, ModelTraits } from '../../model-traits.ts';
import { atLeast, type Version } from '../model-version.ts';

/** `claude-opus-4-7`, `us.anthropic.claude-opus-4-7-v1:0`, `claude-opus-4.7`; not the date in `claude-opus-4-20250514`. */
const NAMED = /\bclaude-(opus|sonnet|haiku|fable|mythos)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/;
/** `claude-3-7-sonnet-20250219`; there is no newer model with a name of this form. */
const NUMBERED = /\bclaude-(\d)(?:[-.](\d))?-(?:opus|sonnet|haiku)/;
const OLDEST = /\bclaude-(?:2|instant)/;
const PREVIEW = /\bclaude-mythos-preview/;

const EFFORTS: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];
const EFFORTS_4_5: readonly Effort[] = ['low', 'medium', 'high'];
const EFFORTS_4_6: readonly Effort[] = ['low', 'medium', 'high', 'max'];

/** Null: not a Claude model. */
export function claudeTraits(name: string): Partial<ModelTraits> | null {
  if (PREVIEW.test(name)) return { ...newest, thinkingOff: 'no', forcedTools: 'never' };
  const [, kind, major, minor] = NAMED.exec(name) ?? [];
  if (kind !== undefined) return byVersion(kind, { major: Number(major), minor: Number(minor ?? 0) });
  const [, older, olderMinor] = NUMBERED.exec(name) ?? [];
  if (older !== undefined)
    return byVersion('sonnet', { major: Number(older), minor: Number(olderMinor ?? 0) });
  return OLDEST.test(name) ? withoutThinking : null;
}

const withoutThinking: Partial<ModelTraits> = { thinking: 'none', forcedTools: 'always' };

/** The smallest budget that is accepted; the largest is limited by the output cap. */
const budget = { min: 1_024, max: null };

const newest: Partial<ModelTraits> = {
  thinking: 'adaptive',
  efforts: EFFORTS,
  budget,
  thinksByDefault: true,
  sampling: 'never',
  temperatureWithTopP: false,
  prefill: false,
};

function byVersion(kind: string, version: Version): Partial<ModelTraits> {
  if (!atLeast(version, 3, 7)) return withoutThinking;
  if (!atLeast(version, 4, 6)) {
    return {
      thinking: 'budget',
      // The first model with efforts has them beside the budget.
      efforts: kind === 'opus' && atLeast(version, 4, 5) ? EFFORTS_4_5 : [],
      budget,
      sampling: 'without_thinking',
      temperatureWithTopP: !atLeast(version, 4, 1),
      forcedTools: 'without_thinking',
    };
  }
  if (!atLeast(version, 5, 0)) {
    return {
      ...newest,
      thinksByDefault: false,
      ...(!atLeast(version, 4, 7) && {
        efforts: EFFORTS_4_6,
        takesBudget: true,
        sampling: 'without_thinking' as const,
      }),
      ...(!atLeast(version, 4, 8) && { forcedTools: 'without_thinking' }),
    };
  }
  return { ...newest, ...ofFifth(kind, version) };
}

function ofFifth(kind: string, version: Version): Partial<ModelTraits> {
  if (kind === 'fable' || kind === 'mythos')
    return { thinkingOff: 'no', ...(atLeast(version, 5, 1) && { forcedTools: 'never' }) };
  if (!atLeast(version, 5, 5) || kind === 'haiku') return {};
  return { thinkingOff: kind === 'sonnet' ? 'between_tools' : 'no', forcedTools: 'never' };
}
