/**
 * The state of the playground. Models, kind of call and settings are in the address of the page; the prompts are not. Fields
 * are written to the address when they are left, so that typing never waits for it.
 */
import { useEffect, useState } from 'react';
import type { ModelObject } from '../../../../gateway/src/contract/models.ts';
import type { PlayMode } from '../../../../gateway/src/contract/paid-endpoints.ts';
import type { Search } from '../../addresses/search.ts';
import { useSearchState } from '../../addresses/use-search.ts';
import { type PlaySetting, settingNames } from './mode-calls.ts';
import { canDo, MODELS_MAX, modesOf } from './modes.ts';

export type Fields = Readonly<Record<PlaySetting['name'], string>>;

/** Longer texts stay out of the address, which servers limit. */
const ADDRESS_TEXT_MAX = 2_000;

export interface Playground {
  readonly search: Search;
  readonly chosen: readonly ModelObject[];
  readonly mode: PlayMode;
  /** What all chosen models can do is what the first can do, and the others are chosen by. */
  readonly modes: readonly PlayMode[];
  readonly fields: Fields;
  setField(name: PlaySetting['name'], value: string): void;
  /** Writes the fields to the address. */
  keep(): void;
  chooseMode(mode: PlayMode): void;
  chooseModel(place: number, code: string): void;
  addModel(): void;
  removeModel(place: number): void;
  forgetRequest(): void;
}

/** `models`: those that the playground can call, at least one. */
export function usePlayground(models: readonly ModelObject[], recorded: Recorded | null): Playground {
  const [search, change] = useSearchState();
  const [fields, setFields] = useState(() => fieldsOf(search));
  const inAddress = JSON.stringify(fieldsOf(search));
  useEffect(() => {
    const kept = JSON.parse(inAddress) as Fields;
    // What is too long for the address stays as it is.
    setFields((before) => ({ ...kept, ...longOf(before) }));
  }, [inAddress]);

  const codes = (search.models ?? recorded?.model ?? '').split(',');
  const found = codes.flatMap((code) => models.filter(({ id }) => id === code)).slice(0, MODELS_MAX);
  const first = found[0] ?? (models[0] as ModelObject);
  const offered = modesOf(first);
  const wanted = search.mode ?? recorded?.mode;
  const mode = offered.find((one) => one === wanted) ?? (offered[0] as PlayMode);
  const chosen = [first, ...found.slice(1).filter((model) => canDo(model, mode))];

  const go = (changes: Search, options?: { replace?: boolean }): void =>
    change({ ...addressOf(fields), ...changes }, options);
  const goModels = (list: readonly string[]): void => go({ models: list.join(',') });
  const ids = chosen.map(({ id }) => id);
  return {
    search,
    chosen,
    mode,
    modes: offered,
    fields,
    setField: (name, value) => setFields((before) => ({ ...before, [name]: value })),
    keep: () => {
      if (JSON.stringify(shortOf(fields)) !== inAddress) go({}, { replace: true });
    },
    chooseMode: (next) => go({ mode: next, models: ids.join(',') }),
    chooseModel: (place, code) => goModels(ids.with(place, code)),
    addModel: () => {
      const next = models.find((model) => canDo(model, mode) && !ids.includes(model.id)) ?? first;
      goModels([...ids, next.id]);
    },
    removeModel: (place) => goModels(ids.toSpliced(place, 1)),
    forgetRequest: () => go({ request: undefined, models: ids.join(','), mode }),
  };
}

/** What the record of a request says. */
export interface Recorded {
  readonly model: string;
  readonly mode: PlayMode | null;
}

function fieldsOf(search: Search): Fields {
  return Object.fromEntries(settingNames.map((name) => [name, search[name] ?? ''])) as Fields;
}

function shortOf(fields: Fields): Fields {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    value.length <= ADDRESS_TEXT_MAX ? value : '',
  ]);
  return Object.fromEntries(entries) as Fields;
}

function longOf(fields: Fields): Partial<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value.length > ADDRESS_TEXT_MAX);
  return Object.fromEntries(entries);
}

function addressOf(fields: Fields): Search {
  const short = shortOf(fields);
  return Object.fromEntries(settingNames.map((name) => [name, short[name] === '' ? undefined : short[name]]));
}
