/** Search in names. */
import { type Sql, sql } from '../../database/sql.ts';

/** Sorts after every character that a name can have. */
const LAST_CHARACTER = '\u{10ffff}';

/** The text begins with the searched one, in any case. A range, so that an index on `lower(…) collate "C"` finds it. */
export function startsWith(text: Sql, searched: string): Sql {
  return sql`lower(${text}) collate "C" >= lower(${searched})
    and lower(${text}) collate "C" < lower(${searched}) || ${LAST_CHARACTER}`;
}

/** The text holds the searched one anywhere, in any case. */
export function holds(text: Sql, searched: string): Sql {
  return sql`strpos(lower(${text}), lower(${searched})) > 0`;
}
