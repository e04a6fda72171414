/** The filters of a list as fields of its query. */
import { type TEnum, type TOptional, type TSchema, type TString, Type } from 'typebox';
import { Amount, Email, generatedId, Label, Time, withUse } from './fields.ts';
import { type FilteredList, type FilterKind, type ListFilter, listFilters } from './list-filters.ts';

type Filters = typeof listFilters;
type FieldOf<Filter> = Filter extends { words: infer Words extends readonly string[] }
  ? TEnum<[...Words]>
  : TString;
export type FilterFields<List extends FilteredList> = {
  [Name in keyof Filters[List]]: TOptional<FieldOf<Filters[List][Name]>>;
};

const schemas: { readonly [Kind in FilterKind]: TSchema } = {
  label: Label,
  email: Email,
  time: Time,
  amount: Amount,
  'key id': generatedId('key'),
  'request id': generatedId('req'),
};

export function filterFields<List extends FilteredList>(list: List): FilterFields<List> {
  const filters: Readonly<Record<string, ListFilter>> = listFilters[list];
  const properties = Object.entries(filters).map(([name, { keeps, kind = 'label', words }]) => {
    const schema =
      words === undefined
        ? withUse(schemas[kind], `Only ${keeps} are listed.`)
        : Type.Enum([...words], { description: `Only ${keeps}.` });
    return [name, Type.Optional(schema)];
  });
  return Object.fromEntries(properties) as unknown as FilterFields<List>;
}
