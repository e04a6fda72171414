/** What Gemini models take: docs/model-traits.md#gemini. Pure. */
import type { Effort, ModelTraits } from '../../model-traits.ts';
import { atLeast, type Version } from '../model-version.ts';

const GEMINI = /\bgemini-(\d+)(?:\.(\d+))?/;
const LATEST = /\bgemini-(?:pro|flash|flash-lite)-latest/;
const MAKES_IMAGES = /\bgemini-[\w.-]*image/;

const LEVELS: readonly Effort[] = ['minimal', 'low', 'medium', 'high'];
/** The version that `-latest` has now. */
const NOW: Version = { major: 3, minor: 8 };

/** Null: not a Gemini model. */
export function geminiTraits(name: string): Partial<ModelTraits> | null {
  if (MAKES_IMAGES.test(name)) return { thinking: 'none' };
  if (LATEST.test(name)) return ofThird(name, NOW);
  const [, major, minor] = GEMINI.exec(name) ?? [];
  if (major === undefined) return null;
  const version = { major: Number(major), minor: Number(minor ?? 0) };
  if (atLeast(version, 3, 0)) return ofThird(name, version);
  return atLeast(version, 2, 5) ? ofSecond(name) : { thinking: 'none', jsonWithTools: 'never' };
}

const BUDGET_MAX = 24_576;

/** Any other model that is called in this way. */
export const protocolOfGoogle: Partial<ModelTraits> = {
  thinking: 'budget',
  efforts: [],
  budget: { min: 1, max: BUDGET_MAX },
  thinksByDefault: true,
};

function ofSecond(name: string): Partial<ModelTraits> {
  const json = { jsonWithTools: 'never' } as const;
  if (name.includes('pro'))
    return { ...protocolOfGoogle, ...json, budget: { min: 128, max: 32_768 }, thinkingOff: 'no' };
  if (name.includes('lite'))
    return { ...protocolOfGoogle, ...json, budget: { min: 512, max: BUDGET_MAX }, thinksByDefault: false };
  return { ...protocolOfGoogle, ...json };
}

function ofThird(name: string, version: Version): Partial<ModelTraits> {
  const efforts = LEVELS.filter((level) => hasLevel(level, name, version));
  return {
    thinking: 'effort',
    efforts,
    thinksByDefault: true,
    thinkingOff: 'no',
    jsonWithTools: 'unforced',
  };
}

function hasLevel(level: Effort, name: string, version: Version): boolean {
  const pro = name.includes('pro');
  if (level === 'medium') return !pro || atLeast(version, 3, 1);
  if (level === 'minimal') return !pro && (name.includes('lite') || !atLeast(version, 3, 7));
  return true;
}
