/** The filters of the list of requests, between the address of the page and the operation. Pure. */
import type { InputOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';
import type { Search } from '../../addresses/search.ts';
import { printKst } from '../../text/times.ts';

/** The names of the filters are those of the operation. */
export const filterNames = [
  'status',
  'model',
  'key',
  'key_id',
  'email',
  'endpoint',
  'min_cost',
  'from',
  'until',
  'id',
] as const;
export type RequestFilter = (typeof filterNames)[number];

/** Filters that are rarely needed, and folded until then. */
export const rareFilters: readonly RequestFilter[] = [
  'endpoint',
  'min_cost',
  'from',
  'until',
  'key_id',
  'id',
];

export function filtersIn(search: Search): Partial<Record<RequestFilter, string>> {
  const given = filterNames.flatMap((name) => (search[name] ? [[name, search[name]] as const] : []));
  return Object.fromEntries(given);
}

export function listInput(space: string, search: Search): InputOf<'requests.list'> {
  return { space, ...filtersIn(search) } as InputOf<'requests.list'>;
}

export const noFilters: Search = Object.fromEntries(filterNames.map((name) => [name, undefined]));

/** For a field: `2026-11-16T14:13:24` in Korean time. */
export function typedTime(time: string | undefined): string {
  if (time === undefined || Number.isNaN(Date.parse(time))) return '';
  return printKst(time).replace(' ', 'T');
}

/** What a field says, with its zone. */
export function timeOfField(text: string): string | undefined {
  if (text === '') return undefined;
  return `${text.length === 16 ? `${text}:00` : text}+09:00`;
}
