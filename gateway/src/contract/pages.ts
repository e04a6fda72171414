/** Lists in pages, in the form of the OpenAI API: `after` and `limit` in the query, `has_more` in the answer. */
import { type TSchema, Type } from 'typebox';
import { Problem } from '../kernel/problem.ts';
import { nullable } from './schema.ts';

export const PAGE_LIMIT_DEFAULT = 20;
export const PAGE_LIMIT_MAX = 100;

export const pageOrders = ['asc', 'desc'] as const;
export type PageOrder = (typeof pageOrders)[number];

export interface PageLimits {
  readonly default: number;
  readonly max: number;
}

export const pageLimits: PageLimits = { default: PAGE_LIMIT_DEFAULT, max: PAGE_LIMIT_MAX };

/** A request for a page. */
export interface IdPageRequest {
  /** The last id of the page before; null: the first page. */
  readonly after: string | null;
  readonly limit: number;
}

/** The query parameters of a list. */
export function pageFields(limits: PageLimits = pageLimits) {
  return {
    after: Type.Optional(
      Type.String({ description: 'The `last_id` of the page before; absent for the first page.' }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: limits.max,
        default: limits.default,
        description: 'The most items that a page has.',
      }),
    ),
  };
}

export const PageQuery = Type.Object(pageFields());

export const PageOrderField = Type.Optional(
  Type.Enum([...pageOrders], { description: '`desc` (default): the newest first. `asc`: the oldest first.' }),
);

export function idPageOf<Item extends TSchema>(item: Item, description: string) {
  return Type.Object(
    {
      object: Type.Literal('list', { description: 'Always `list`.' }),
      data: Type.Array(item, { description: 'The items of this page.' }),
      first_id: nullable(
        Type.String({ description: 'The id of the first item; null if the page is empty.' }),
      ),
      last_id: nullable(Type.String({ description: 'The id of the last item; null if the page is empty.' })),
      has_more: Type.Boolean({ description: 'Whether another page follows.' }),
    },
    { description },
  );
}

interface Page<Item> {
  object: 'list';
  data: Item[];
  first_id: string | null;
  last_id: string | null;
  has_more: boolean;
}

/** `found` has one item more than the page if another page follows. */
export function writeIdPage<Item extends { readonly id: string }>(
  found: readonly Item[],
  limit: number,
): Page<Item> {
  const data = found.slice(0, limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: found.length > limit,
  };
}

/**
 * For a cursor that is unknown, has expired, was deleted, or belongs to somebody else: the answer is the same. `what`
 * has its article: `a file`.
 */
export function unknownCursor(what: string, after: string): Problem {
  const shown = JSON.stringify(after.slice(0, 100));
  return new Problem('invalid_parameter', {
    detail: `after must be the id of ${what} of this list; ${shown} is not, or not any more. Start again without after.`,
    param: 'after',
  });
}
