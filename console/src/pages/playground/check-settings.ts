/** Reads the typed settings, and says in words which are wrong. Pure. */
import type { PlayMode } from '../../../../gateway/src/contract/paid-endpoints.ts';
import type { Say } from '../../text/say.ts';
import { modeCalls, type PlaySetting, type PlaySettings, type SettingKind } from './mode-calls.ts';
import type { PlaygroundText } from './texts.ts';
import type { Fields } from './use-playground.ts';

export interface CheckedSettings {
  readonly errors: Readonly<Partial<Record<PlaySetting['name'], string>>>;
  readonly values: Partial<PlaySettings>;
}

export function checkSettings(mode: PlayMode, fields: Fields, t: Say<PlaygroundText>): CheckedSettings {
  const checked = modeCalls[mode].settings.map(({ name, kind }) => {
    const typed = fields[name];
    return { name, ...(typed.trim() === '' ? {} : readers[kind](typed, t)) };
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
  list: (typed, t) => readJson(typed, t, Array.isArray, 'listError'),
  object: (typed, t) => readJson(typed, t, isObject, 'objectError'),
  words: (value) => ({ value }),
};

/** An error names the line. */
function readJson(
  text: string,
  t: Say<PlaygroundText>,
  fits: (value: unknown) => boolean,
  otherwise: PlaygroundText,
): ReadSetting {
  try {
    const value: unknown = JSON.parse(text);
    return fits(value) ? { value } : { error: t(otherwise) };
  } catch (thrown) {
    const { message } = thrown as Error;
    return { error: t('jsonError', { line: lineOf(message, text), reason: plain(message) }) };
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Browsers name a position or a line; an end that came too early is at the last line. */
function lineOf(message: string, text: string): number {
  const named = /line (\d+)/.exec(message)?.[1];
  if (named !== undefined) return Number(named);
  const position = /position (\d+)/.exec(message)?.[1];
  const before = position === undefined ? text.trimEnd() : text.slice(0, Number(position));
  return before.split('\n').length;
}

/** Without the place, which is shown separately, and without a quotation of the text. */
function plain(message: string): string {
  return message
    .replace(/^JSON\.parse: /, '')
    .replace(/,? ?"?\.{3}.*is not valid JSON$/s, '')
    .replace(/,? ".*" is not valid JSON$/s, '')
    .replace(/ in JSON at position.*$/s, '')
    .replace(/ at line \d+ column \d+ of the JSON data$/, '');
}
