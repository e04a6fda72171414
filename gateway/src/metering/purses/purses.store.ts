/** The purses in the database, for one process. */
import { type Queryable, timestamp } from '../../database/database.ts';
import { CALL_ANSWER_MS } from '../../database/deadlines.ts';
import { sql, within } from '../../database/sql.ts';
import type { Clock } from '../../kernel/time.ts';
import { parseUnits, printUnits } from '../../kernel/units.ts';
import type { PurseAnswer } from './purse.ts';
import type { PurseAsk, PurseStore } from './purse-asks.ts';

/** Where processes are told `recall PURSE` and `back PURSE`. */
export const PURSE_CHANNEL = 'tollgate_purses';

interface Row {
  readonly place: number;
  readonly granted: string;
  readonly cap: string | null;
  readonly spent: string;
  readonly reserved: string;
  readonly unused: string;
  readonly others: string;
  readonly endsAt: number | null;
}

export class DatabasePurses implements PurseStore {
  readonly #options: { readonly db: Queryable; readonly clock: Clock; readonly process: () => string };

  constructor(options: { db: Queryable; clock: Clock; process: () => string }) {
    this.#options = options;
  }

  async raise(asks: readonly PurseAsk[]): Promise<Array<PurseAnswer | null>> {
    const { db, clock, process } = this.#options;
    const of = <T>(take: (ask: PurseAsk) => T): T[] => asks.map(take);
    const rows = await db.query<Row>(
      within(
        CALL_ANSWER_MS,
        sql`
      select place, granted, cap, spent, reserved, unused, others, ends_at as "endsAt"
      from raise_slices(${process()}, ${of(({ name }) => name.kind)}, ${of(({ name }) => name.id)},
        ${of(({ name }) => name.spaceId)}, ${of(({ name }) => name.month ?? '')},
        ${of(({ need }) => printUnits(need))}::text[]::numeric[], ${of(({ want }) => printUnits(want))}::text[]::numeric[],
        ${of(({ hard }) => String(hard))}::text[]::boolean[], ${timestamp(clock.now())})`,
      ),
    );
    const answers = new Map(rows.map((row) => [row.place, answerOf(row)]));
    return asks.map((_, i) => answers.get(i + 1) ?? null);
  }

  async giveBack(
    slices: ReadonlyArray<{ id: string; kept: Parameters<typeof printUnits>[0] }>,
  ): Promise<void> {
    const { db, process } = this.#options;
    await db.query(
      within(
        CALL_ANSWER_MS,
        sql`
      select return_slices(${process()}, ${slices.map(({ id }) => id)},
        ${slices.map(({ kept }) => printUnits(kept))}::text[]::numeric[])`,
      ),
    );
  }

  async recall(id: string): Promise<void> {
    await this.#options.db.query(sql`select pg_notify(${PURSE_CHANNEL}, ${`recall ${id}`})`);
  }
}

function answerOf({ granted, cap, spent, reserved, unused, others, endsAt }: Row): PurseAnswer {
  return {
    granted: parseUnits(granted),
    limit: parseUnits(cap ?? '0'),
    spent: parseUnits(spent),
    reserved: parseUnits(reserved),
    left: parseUnits(unused),
    others: parseUnits(others),
    validUntil: endsAt,
  };
}

/** The slices of processes that have ended are free again. */
export async function removeEndedSlices(db: Queryable): Promise<void> {
  await db.query(sql`
    delete from slices s using processes p where p.id = s.process_id and p.ended_at is not null`);
}
