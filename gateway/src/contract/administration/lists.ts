/** How every list of administration is asked for and answered: pages with a cursor, in a stable order. */
import { type TProperties, type TSchema, Type } from 'typebox';
import { fields, whole } from './fields.ts';
import { LIST_LIMIT_DEFAULT } from './words.ts';

const LIST_LIMIT_MAX = 1_000;

/** The query of a list: its filters, and the page. */
export function listQuery<Filters extends TProperties>(filters: Filters) {
  return fields({
    ...filters,
    limit: Type.Optional(
      Type.Integer({
        ...whole({ min: 1, max: LIST_LIMIT_MAX }),
        description: `A whole number from 1 to ${LIST_LIMIT_MAX}: the most items of a page. Default: ${LIST_LIMIT_DEFAULT}.`,
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 6_000,
        description: 'The `next_cursor` of the previous page.',
      }),
    ),
  });
}

/** `description` says what is listed, and in which order. */
export function pageOf<Item extends TSchema>(item: Item, description: string) {
  const properties = {
    data: Type.Array(item, { description }),
    next_cursor: Type.Union([Type.String(), Type.Null()], {
      description: 'Send it as `cursor` to get the next page. Null: this is the last page.',
    }),
  };
  return Type.Object(properties, { description: 'One page of a list.' });
}
