/** The purses in the database, for one process. */
import { type Queryable, timestamp } from '../../database/database.ts';
import { CALL_ANSWER_MS, LONG_ANSWER_MS } from '../../database/deadlines.ts';
import { sql, within } from '../../database/sql.ts';
import type { Clock, Month } from '../../kernel/time.ts';
import { parseUnits, printUnits, type Units } from '../../kernel/units.ts';
import type { PurseAnswer, PurseKind, ReturnedSlice } from './purse.ts';
import type { PurseAsk, PurseStore } from './purse-asks.ts';

/** Its notifications are `recall PURSE PROCESS` and `back PURSE`, in returns with `PROCESS`: who sent it. */
export const PURSE_CHANNEL = 'tollgate_purses';

interface Row {
  readonly place: number;
  readonly granted: string;
  readonly own: string;
  readonly cap: string | null;
  readonly spent: string;
  readonly reserved: string;
  readonly unused: string;
  readonly others: string;
  readonly endsAt: number | null;
  readonly turn: number;
}

export class DatabasePurses implements PurseStore {
  readonly #options: { readonly db: Queryable; readonly clock: Clock; readonly process: () => string };

  constructor(options: { db: Queryable; clock: Clock; process: () => string }) {
    this.#options = options;
  }

  async raise(asks: readonly PurseAsk[]): Promise<Array<PurseAnswer | null> | 'ended'> {
    const { db, clock, process } = this.#options;
    const of = <T>(take: (ask: PurseAsk) => T): T[] => asks.map(take);
    const rows = await db.query<Row>(
      within(
        CALL_ANSWER_MS,
        sql`
      select place, granted, own, cap, spent, reserved, unused, others, ends_at as "endsAt", turn
      from raise_slices(${process()}, ${of(({ name }) => name.kind)}, ${of(({ name }) => name.id)},
        ${of(({ name }) => name.spaceId)}, ${of(({ name }) => name.window ?? '')},
        ${of(({ need }) => printUnits(need))}::text[]::numeric[], ${of(({ want }) => printUnits(want))}::text[]::numeric[],
        ${of(({ hard }) => String(hard))}::text[]::boolean[], ${timestamp(clock.now())})`,
      ),
    );
    if (rows[0]?.place === 0) return 'ended';
    const answers = new Map(rows.map((row) => [row.place, answerOf(row)]));
    return asks.map((_, i) => answers.get(i + 1) ?? null);
  }

  async giveBack(slices: readonly ReturnedSlice[]): Promise<readonly string[]> {
    const { db, process } = this.#options;
    const locked = await db.query<{ purse: string }>(
      within(
        CALL_ANSWER_MS,
        sql`
      select return_slices as purse from return_slices(${process()}, ${slices.map(({ id }) => id)},
        ${slices.map(({ kept }) => (kept === null ? '' : printUnits(kept)))}::text[],
        ${slices.map(({ turn }) => String(turn))}::text[]::integer[])`,
      ),
    );
    return locked.map(({ purse }) => purse);
  }

  async recall(id: string): Promise<void> {
    const { db, process } = this.#options;
    await db.query(sql`select pg_notify(${PURSE_CHANNEL}, ${`recall ${id} ${process()}`})`);
  }
}

function answerOf({ granted, own, cap, spent, reserved, unused, others, endsAt, turn }: Row): PurseAnswer {
  return {
    granted: parseUnits(granted),
    own: parseUnits(own),
    limit: parseUnits(cap ?? '0'),
    spent: parseUnits(spent),
    reserved: parseUnits(reserved),
    left: parseUnits(unused),
    others: parseUnits(others),
    validUntil: endsAt,
    turn,
  };
}

/** Gives back slices of processes that have ended. Returns how many there were. */
export async function foldSlices(db: Queryable, rowsMax: number): Promise<number> {
  const [row] = await db.query<{ folded: number }>(sql`select fold_slices(${rowsMax}) as folded`);
  return row?.folded ?? 0;
}

/** Forgets purses of earlier months that nobody uses, and those of values of budgets, which are many. */
export async function removeOldPurses(db: Queryable, month: Month): Promise<void> {
  await db.query(sql`
    delete from purses p where p.given = 0
      and (split_part(p.id, ':', 3) <> '' and split_part(p.id, ':', 3) < ${month} or p.id like 'budget:%.%')
      and not exists (select from slices s where s.purse = p.id)`);
}

export interface KindSlices {
  readonly kind: PurseKind;
  readonly purses: number;
  readonly slices: number;
  /** What processes may charge without asking, and have not charged. */
  readonly unspent: string;
}

/** What the processes of the installation have taken, by kind. */
export async function readSlices(db: Queryable): Promise<KindSlices[]> {
  return await db.query<KindSlices>(
    within(
      LONG_ANSWER_MS,
      sql`
    select kinds.kind, count(distinct t.purse) as purses, count(t.purse) as slices,
      trim_scale(coalesce(sum(greatest(t.granted - purse_spent(t.kind, t.id,
        case t.kind when 'space' then t.id when 'key' then k.space_id when 'member' then m.space_id end, t.month, t.process_id),
        0)), 0))::text
        as unspent
    from (values (1, 'space'), (2, 'key'), (3, 'member'), (4, 'budget')) as kinds (place, kind)
    left join (
      select s.purse, s.process_id, s.granted, split_part(s.purse, ':', 1) as kind, split_part(s.purse, ':', 2) as id,
        split_part(s.purse, ':', 3) as month
      from slices s join processes p on p.id = s.process_id and p.ended_at is null) t on t.kind = kinds.kind
    left join keys k on t.kind = 'key' and k.id = t.id
    left join members m on t.kind = 'member' and m.id = t.id
    group by kinds.place, kinds.kind order by kinds.place`,
    ),
  );
}

/** What a call of a key and model cost on average this month; null if there was none. */
export async function readMeanCost(
  db: Queryable,
  of: { spaceId: string; keyId: string; model: string; month: Month },
): Promise<Units | null> {
  const [row] = await db.query<{ mean: string | null }>(
    within(
      CALL_ANSWER_MS,
      sql`
    select trunc(sum(cost + provisional) / nullif(sum(requests), 0), 12) as mean from month_parts
    where space_id = ${of.spaceId} and month = ${of.month} and key_id = ${of.keyId} and model = ${of.model}`,
    ),
  );
  return row?.mean == null ? null : parseUnits(row.mean);
}
