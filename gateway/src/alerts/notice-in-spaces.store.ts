/** Notices events of the spaces that have a target for their kind. A store says what it looks for, this says the rest. */
import type { AlertKind } from '../contract/administration/words.ts';
import { type Sql, sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import { watchedSpaces } from './alert-settings.store.ts';
import type { NewEvent } from './event.ts';
import { isNew } from './events.store.ts';
import { NOTICED_MAX, type Notice } from './notice.ts';

/** The columns that every such query has, beside those for the data of the event. */
interface Noticed {
  readonly spaceId: string;
  readonly space: string;
  readonly subject: string;
  readonly period: string;
  readonly threshold: string;
  /** The threshold as a number: events come in its order. */
  readonly step: number;
}

export function noticeInSpaces<Row>(
  kind: AlertKind,
  find: (watched: Sql, now: Instant) => Sql,
  dataOf: (row: Row & Pick<Noticed, 'space' | 'step' | 'subject' | 'period'>) => NewEvent['data'],
): Notice {
  return async (tx, now) => {
    const rows = await tx.query<Row & Noticed>(sql`
      select n.* from (${find(watchedSpaces(kind), now)}) n
      where ${isNew({ kind, space: sql`n."spaceId"`, subject: sql`n.subject`, period: sql`n.period`, threshold: sql`n.threshold` })}
      order by n."spaceId", n.subject, n.period, n.step, n.threshold limit ${NOTICED_MAX}`);
    return rows.map((row) => {
      const { spaceId, subject, period, threshold } = row;
      return { kind, spaceId, subject, period, threshold, data: dataOf(row) };
    });
  };
}
