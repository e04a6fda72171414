/** The filters of a list as options of its command. */
import {
  type FilteredList,
  type ListFilter,
  listFilters,
} from '../../contract/administration/list-filters.ts';
import { type CommandOption, option, type Read } from '../command.ts';
import { email, oneOf, time } from '../words.ts';

export function filterOptions(list: string): Record<string, CommandOption<unknown>> {
  const filters: Readonly<Record<string, ListFilter>> = Object.hasOwn(listFilters, list)
    ? listFilters[list as FilteredList]
    : {};
  return Object.fromEntries(
    Object.entries(filters).map(([name, filter]) => {
      const { form, keeps, words } = filter;
      const text = `only ${keeps}${words === undefined ? '' : `: ${words.join(', ')}`}`;
      return [camel(name), option(`<${form}>`, text, { read: readerOf(filter) })];
    }),
  );
}

/** The names of fields: an option `--key-id` is the field `key_id`. */
export function fieldNames(typed: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(typed).map(([name, value]) => [snake(name), value]));
}

const asTyped: Read<string> = (text) => text;

/** Checked here, so that errors name the option. */
function readerOf({ kind, words }: ListFilter): Read<unknown> {
  if (words !== undefined) return oneOf(words);
  if (kind === 'email') return email;
  return kind === 'time' ? time : asTyped;
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
