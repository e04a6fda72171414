/** The query of a usage report in the form of OpenAI's API. */
import { type TSchema, Type } from 'typebox';
import { type BucketLimits, type BucketWidth, type Grouping, groupings } from './usage-reports.ts';

/** The last second of the year 9999. */
const SECONDS_MAX = 253_402_300_799;
const VALUES_MAX = 200;
const TEXT_CHARACTERS_MAX = 200;
const PAGE_CHARACTERS_MAX = 1_000;

/** A checked query. */
export interface BucketQuery {
  readonly start_time: number;
  readonly end_time?: number;
  readonly bucket_width?: BucketWidth;
  readonly limit?: number;
  readonly page?: string;
  readonly group_by?: readonly Grouping[];
  readonly project_ids?: readonly string[];
  readonly user_ids?: readonly string[];
  readonly api_key_ids?: readonly string[];
  readonly models?: readonly string[];
  readonly line_items?: readonly string[];
  readonly batch?: boolean;
}

const seconds = (description: string) =>
  Type.Integer({ minimum: 0, maximum: SECONDS_MAX, description, examples: [1_793_458_800] });
const list = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: TEXT_CHARACTERS_MAX }), {
    minItems: 1,
    maxItems: VALUES_MAX,
    description,
  });

/** By the grouping that it belongs to: who cannot group by something cannot filter to it either. */
const filters = {
  project_id: { project_ids: list('Only these spaces, by their ids.') },
  user_id: { user_ids: list('Only the personal keys of these members, by the ids of the members.') },
  api_key_id: { api_key_ids: list('Only these keys, by their ids.') },
  model: { models: list('Only these models, by their codes.') },
  line_item: { line_items: list('Only these line items: model codes.') },
  batch: { batch: Type.Boolean({ description: '`true`: only batches. `false`: only what is no batch.' }) },
  service_tier: {},
} satisfies Record<Grouping, Record<string, TSchema>>;

export function bucketQuery(
  groups: readonly Grouping[],
  limits: Readonly<Partial<Record<BucketWidth, BucketLimits>>>,
) {
  const widths = Object.keys(limits) as BucketWidth[];
  const numbers = Object.entries(limits).map(
    ([width, { usual, max }]) => `${usual} for ${width}, at most ${max}`,
  );
  const wanted = Object.assign({}, ...groups.map((group) => filters[group])) as Record<string, TSchema>;
  return Type.Object(
    {
      start_time: seconds('The first second (Unix time).'),
      end_time: Type.Optional(
        seconds('The second after the last one (Unix time). Default: the end of the bucket of now.'),
      ),
      bucket_width: Type.Optional(
        Type.Enum(widths, { default: '1d', description: 'How long a bucket is. Days are those of UTC.' }),
      ),
      group_by: Type.Optional(
        Type.Array(Type.Enum([...groups]), {
          maxItems: Object.keys(groupings).length,
          description: 'A result for each combination of these. Default: one result for each bucket.',
        }),
      ),
      ...Object.fromEntries(Object.entries(wanted).map(([name, schema]) => [name, Type.Optional(schema)])),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          description: `The most buckets of a page. Default: ${numbers.join('; ')}.`,
        }),
      ),
      page: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: PAGE_CHARACTERS_MAX,
          description: 'The `next_page` of the page before; leave it out for the first page.',
        }),
      ),
    },
    { additionalProperties: false },
  );
}
