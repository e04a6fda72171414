/** The owner of a batch, job or file: the member of a personal key, or a shared key. */
import { type Sql, sql } from '../../database/sql.ts';

/** The owner of the row `p`, with `joinOwner`: the e-mail address of the member, or the name of the shared key. */
export const ownerColumns: Sql = sql`om.email as owner, ok.name as key`;

export const joinOwner: Sql = sql`
  left join members om on om.id = p.owner left join keys ok on ok.id = p.owner`;
