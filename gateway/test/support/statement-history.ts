/** Random histories of a space, in the database and in a simple ledger in memory. */
import fc from 'fast-check';
import { type Database, timestamp } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { DAY_MS, MINUTE_MS } from '../../src/kernel/durations.ts';
import { newId } from '../../src/kernel/ids.ts';
import { kstOf, monthOf } from '../../src/kernel/time.ts';
import { printUnits, type Units } from '../../src/kernel/units.ts';
import { giveUnits } from '../../src/ledger/grants.store.ts';
import { invoiceOverage } from '../../src/ledger/invoices.store.ts';
import { expireUnits } from '../../src/ledger/settle.store.ts';
import { callRow, joinRows } from '../../src/metering/call-record.ts';
import { recordCalls } from '../../src/metering/calls.store.ts';
import { chargeJob } from '../../src/metering/charge-job.ts';
import { correctCall } from '../../src/metering/corrections.store.ts';
import { callOf } from '../chaos/books.ts';

export type Step =
  | { readonly do: 'grant'; readonly promo: boolean; readonly amount: bigint; readonly days: number | null }
  | {
      readonly do: 'call' | 'batch' | 'video';
      readonly amount: bigint;
      readonly model: string;
      readonly key: string;
      /** How long a call took. */
      readonly minutes?: number;
    }
  | { readonly do: 'correct'; readonly pick: number; readonly amount: bigint }
  | { readonly do: 'expire' | 'invoice' };

const amount = fc.bigInt({ min: 1n, max: 3_000n });
export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('grant' as const), promo: fc.boolean(), amount, days: fc.option(fc.nat(60)) }),
  {
    arbitrary: fc.record({
      do: fc.constantFrom('call', 'batch', 'video'),
      amount,
      model: fc.constantFrom('large', 'small'),
      key: fc.constantFrom('key_1', 'key_2', 'key_3'),
      minutes: fc.constantFrom(0, 1, 9, 11, 25, 23 * 60),
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({
      do: fc.constant('correct' as const),
      pick: fc.nat(),
      amount: fc.bigInt({ min: 0n, max: 4_000n }),
    }),
    weight: 2,
  },
  fc.record({ do: fc.constantFrom('expire' as const, 'invoice' as const) }),
) as fc.Arbitrary<Step>;

/** What a line of a statement adds up, by the rules of the ledger's README. */
export interface ModelLine {
  promo: bigint;
  paid: bigint;
  overage: bigint;
}

/** A simple ledger in memory. */
export class LedgerModel {
  readonly grants: Array<{ promo: boolean; left: bigint; expiresAt: number | null }> = [];
  readonly calls: Array<{ id: string; month: string; cost: bigint; model: string; key: string }> = [];
  readonly lines = new Map<string, ModelLine>();
  /** Charges and corrections by month and model or key; charges by day, model and key. */
  readonly sums = new Map<string, bigint>();
  readonly usage = new Map<string, bigint>();
  overage = 0n;

  held(promo: boolean): bigint {
    return this.grants.reduce((sum, grant) => (grant.promo === promo ? sum + grant.left : sum), 0n);
  }

  note(month: string, kind: string, moves: Partial<ModelLine>): void {
    const line = this.lines.get(`${month} ${kind}`) ?? { promo: 0n, paid: 0n, overage: 0n };
    line.promo += moves.promo ?? 0n;
    line.paid += moves.paid ?? 0n;
    line.overage += moves.overage ?? 0n;
    this.lines.set(`${month} ${kind}`, line);
  }

  charge({ model, key }: { model: string; key: string }, at: number, kind: string, amount: bigint): void {
    const add = (name: string) => this.sums.set(name, (this.sums.get(name) ?? 0n) + amount);
    const month = monthOf(at);
    add(`${month} model ${model} ${kind}`);
    add(`${month} key ${key} ${kind}`);
    if (kind === 'charges') add(`${kstOf(at).slice(0, 10)} ${model} ${key}`);
  }

  used(month: string, cost: bigint): void {
    this.usage.set(month, (this.usage.get(month) ?? 0n) + cost);
  }

  take(due: bigint, now: number): ModelLine {
    const moves = { promo: 0n, paid: 0n, overage: 0n };
    const ends = ({ expiresAt }: { expiresAt: number | null }): number =>
      expiresAt ?? Number.POSITIVE_INFINITY;
    const usable = this.grants.filter((grant) => ends(grant) > now);
    usable.sort((a, b) => Number(b.promo) - Number(a.promo) || (ends(a) === ends(b) ? 0 : ends(a) - ends(b)));
    for (const grant of usable) {
      const part = grant.left < due ? grant.left : due;
      grant.left -= part;
      due -= part;
      moves[grant.promo ? 'promo' : 'paid'] -= part;
    }
    this.overage += due;
    return { ...moves, overage: due };
  }
}

/** Charges a batch or video and stores its row, as its settlement does. */
async function chargeRealJob(
  db: Database,
  to: { spaceId: string; step: Extract<Step, { do: 'call' | 'batch' | 'video' }>; at: number },
): Promise<void> {
  const { spaceId, step: one, at } = to;
  const id = newId(one.do === 'batch' ? 'batch' : 'job', at);
  const cost = one.amount as Units;
  const job = { id, spaceId, keyId: one.key, model: one.model, requests: 1, unpriced: 0, cost, at };
  await db.transaction(async (tx) => {
    const entry = await chargeJob(tx, job);
    const when = timestamp(at);
    if (one.do === 'batch')
      await tx.query(sql`
        insert into batches (id, space_id, owner, key_id, input_file_id, endpoint, model, status, total, created_at,
          expires_at, settlement_status, settled_units, settled_at, settled_month, settled_requests, entry_id)
        values (${id}, ${spaceId}, ${one.key}, ${one.key}, 'file_1', 'chat', ${one.model}, 'completed', 1, ${when},
          ${when}, 'settled', ${printUnits(cost)}, ${when}, ${monthOf(at)}, 1, ${entry})`);
    else
      await tx.query(sql`
        insert into video_jobs (id, space_id, owner, key_id, model, status, created_at, completed_at, expires_at, cost,
          settled_at, settled_month, entry_id)
        values (${id}, ${spaceId}, ${one.key}, ${one.key}, ${one.model}, 'succeeded', ${when}, ${when}, ${when},
          ${printUnits(cost)}, ${when}, ${monthOf(at)}, ${entry})`);
  });
}

/** Runs a step in the database and in the model. */
export async function runStep(
  db: Database,
  model: LedgerModel,
  to: { spaceId: string; step: Step; at: number },
): Promise<void> {
  const { spaceId, step: one, at } = to;
  const month = monthOf(at);
  switch (one.do) {
    case 'grant': {
      const expiresAt = one.promo && one.days !== null ? at + one.days * DAY_MS + 1 : null;
      const grant = { id: newId('grt', at), spaceId, kind: one.promo ? 'promo' : 'paid', note: '' } as const;
      const given = { ...grant, amount: one.amount as Units, expiresAt, createdAt: at };
      await db.transaction((tx) => giveUnits(tx, given));
      model.grants.push({ promo: one.promo, left: one.amount, expiresAt });
      model.note(month, 'grant', { [grant.kind]: one.amount });
      return;
    }
    case 'call': {
      const startedAt = at - (one.minutes ?? 0) * MINUTE_MS;
      const of = { id: newId('req', startedAt), startedAt, chargedAt: at, model: one.model, keyId: one.key };
      const call = callOf(spaceId, one.amount, of);
      await recordCalls(db, { rows: joinRows([callRow(call)]), spaces: [spaceId], at });
      model.calls.push({ id: call.id, month, cost: one.amount, model: one.model, key: one.key });
      model.charge(one, at, 'charges', one.amount);
      model.note(month, 'charge calls', model.take(one.amount, at));
      model.used(month, one.amount);
      return;
    }
    case 'batch':
    case 'video': {
      await chargeRealJob(db, { spaceId, step: one, at });
      model.charge(one, at, 'charges', one.amount);
      model.note(month, one.do === 'batch' ? 'charge batches' : 'charge videos', model.take(one.amount, at));
      model.used(month, one.amount);
      return;
    }
    case 'correct': {
      const call = model.calls[one.pick % Math.max(1, model.calls.length)];
      if (call === undefined) return;
      await db.transaction((tx) =>
        correctCall(tx, { callId: call.id, cost: one.amount as Units, note: '', at }),
      );
      const difference = one.amount - call.cost;
      call.cost = one.amount;
      model.charge(call, at, 'corrections', difference);
      model.used(call.month, difference);
      if (difference > 0n) model.note(month, 'correction', model.take(difference, at));
      if (difference >= 0n) return;
      const back = -difference < model.overage ? -difference : model.overage;
      model.overage -= back;
      model.grants.push({ promo: false, left: -difference - back, expiresAt: null });
      model.note(month, 'correction', { paid: -difference - back, overage: -back });
      return;
    }
    case 'expire': {
      await expireUnits(db, at);
      for (const grant of model.grants.filter(
        ({ expiresAt, left }) => expiresAt !== null && expiresAt <= at && left > 0n,
      )) {
        model.note(month, 'expiry', { promo: -grant.left });
        grant.left = 0n;
      }
      return;
    }
    case 'invoice': {
      await db.transaction((tx) => invoiceOverage(tx, { id: newId('inv', at), spaceId, note: '', at }));
      if (model.overage > 0n) model.note(month, 'invoice', { overage: -model.overage });
      model.overage = 0n;
    }
  }
}
