/** What can be counted of a call or of a line of a batch: SQL for a row `u` of `calls` or `line_receipts`. */
import { type UsageCount, usageCounts } from '../contract/organization/usage-reports.ts';
import { type Sql, sql } from '../database/sql.ts';

const detail = (name: string): Sql => sql`coalesce((u.usage_details ->> ${name})::bigint, 0)`;
const tool = (name: string): Sql => sql`coalesce((u.usage_details -> 'tools' ->> ${name})::bigint, 0)`;

export const usageCountOf: Readonly<Record<UsageCount, Sql>> = {
  input_tokens: sql`coalesce(u.input_tokens, 0)`,
  cached_input_tokens: sql`coalesce(u.cached_input_tokens, 0)`,
  cache_write_tokens: sql`coalesce(u.cache_write_tokens, 0)`,
  output_tokens: sql`coalesce(u.output_tokens, 0)`,
  image_input_tokens: detail('image_input_tokens'),
  audio_input_tokens: detail('audio_input_tokens'),
  cached_image_input_tokens: detail('cached_image_input_tokens'),
  cached_audio_input_tokens: detail('cached_audio_input_tokens'),
  image_output_tokens: detail('image_output_tokens'),
  audio_output_tokens: detail('audio_output_tokens'),
  images: sql`coalesce(u.images, 0)`,
  // Google counts a search as a prompt and as its queries.
  web_searches: sql`${tool('web_search')} + ${tool('google_search_query')}`,
  file_searches: tool('file_search'),
  code_sessions: tool('code_interpreter'),
};

export const tierOf: Sql = sql`coalesce(u.usage_details ->> 'tier', 'default')`;

/** The column of a count in `removed_usage`, which has its name. */
export function countColumn(count: UsageCount): Sql {
  return { text: count, values: [] };
}

/** `a, b`. */
export function listedSql(parts: readonly Sql[]): Sql {
  return parts.reduce((all, part) => sql`${all}, ${part}`);
}

export const countColumns: Sql = listedSql(usageCounts.map(countColumn));
/** The sums of calls `u`. */
export const countSums: Sql = listedSql(usageCounts.map((count) => sql`sum(${usageCountOf[count]})`));
/** Adds a row to the one with the same key. */
export const countsAdded: Sql = listedSql(
  usageCounts.map(
    (count) => sql`${countColumn(count)} = r.${countColumn(count)} + excluded.${countColumn(count)}`,
  ),
);
