/** Reads the typed settings, and says in words which are wrong. Pure. */
import type { PlayMode } from '../../../../gateway/src/contract/paid-endpoints.ts';
import type { Say } from '../../text/say.ts';
import { modeCalls, type PlaySettings, type Setting, type SettingKind } from './mode-calls.ts';
import { readJson } from './read-json.ts';
import type { PlaygroundText } from './texts.ts';
import type { Fields } from './use-playground.ts';

export interface CheckedSettings {
  readonly errors: Readonly<Partial<Record<Setting['name'], string>>>;
  readonly values: Partial<PlaySettings>;
}

export function checkSettings(mode: PlayMode, fields: Fields, t: Say<PlaygroundText>): CheckedSettings {
  const checked = modeCalls[mode].settings.map(({ name, kind }) => {
    const typed = fields[name].trim();
    return { name, ...(typed === '' ? {} : readers[kind](typed, t)) };
  });
  return {
    errors: Object.fromEntries(checked.flatMap(({ name, error }) => (error ? [[name, error]] : []))),
    values: Object.fromEntries(checked.map(({ name, value }) => [name, value])),
  };
}

interface ReadSetting {
  readonly value?: unknown;
  readonly error?: string;
}

const readers: Readonly<Record<SettingKind, (typed: string, t: Say<PlaygroundText>) => ReadSetting>> = {
  temperature: (typed, t) => {
    const value = Number(typed);
    return value >= 0 && value <= 2 ? { value } : { error: t('temperatureError') };
  },
  count: (typed, t) => {
    const value = Number(typed);
    return Number.isSafeInteger(value) && value >= 1 ? { value } : { error: t('countError') };
  },
  list: (typed, t) => readJsonOf(typed, t, Array.isArray, 'listError'),
  object: (typed, t) => readJsonOf(typed, t, isObject, 'objectError'),
  words: (value) => ({ value }),
};

function readJsonOf(
  typed: string,
  t: Say<PlaygroundText>,
  fits: (value: unknown) => boolean,
  otherwise: PlaygroundText,
): ReadSetting {
  const { value, error } = readJson(typed);
  if (error !== null) return { error: t('jsonError', error) };
  return fits(value) ? { value } : { error: t(otherwise) };
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
