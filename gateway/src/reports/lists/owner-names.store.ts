/** The owner of a batch, job or file: the member of a personal key, or a shared key. */
import { type Sql, sql } from '../../database/sql.ts';

export interface OwnerNames {
  /** The id of the member or of the shared key. */
  readonly owner: string;
  /** The e-mail of the member; null if a shared key owns it. */
  readonly ownerEmail: string | null;
  /** The name of the shared key; null if a member owns it. */
  readonly ownerKey: string | null;
}

/** The columns of the owner of the row `p`, with `joinOwner`. */
export const ownerColumns: Sql = sql`p.owner, om.email as "ownerEmail", ok.name as "ownerKey"`;

export const joinOwner: Sql = sql`
  left join members om on om.id = p.owner left join keys ok on ok.id = p.owner`;
