/** Creates spaces with grants, and calls to charge them, directly in a database. */

import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { newId } from '../../src/kernel/ids.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { parseUnits, type Units } from '../../src/kernel/units.ts';
import { giveUnits } from '../../src/ledger/grants.store.ts';
import { openSpace } from '../../src/ledger/open-space.ts';
import type { CallRecord } from '../../src/metering/call-record.ts';
import { settleAll } from '../support/settle-all.ts';
import type { ModelGrant } from './spend-model.ts';

let made = 0;

/** Returns the id of a new space with these grants. */
export async function makeSpace(db: Database, grants: readonly ModelGrant[] = []): Promise<string> {
  const createdAt = systemClock.now();
  const number = ++made;
  const spaceId = newId('spc', createdAt);
  await db.transaction(async (tx) => {
    const space = {
      id: spaceId,
      name: `space-${number}`,
      overageAllowed: true,
      keepsResponses: true,
      blocked: false,
    };
    await openSpace(tx, { ...space, createdAt });
    for (const [index, { kind, amount, expiresAt }] of grants.entries()) {
      // Ids in the order of creation, like real ones.
      const id = `grt_${String(number).padStart(8, '0')}_${String(index).padStart(4, '0')}`;
      const grant = { id, spaceId, kind, amount: amount as Units, expiresAt, note: '', createdAt };
      await giveUnits(tx, grant);
    }
  });
  return spaceId;
}

export interface Books {
  readonly remaining: readonly bigint[];
  readonly overage: bigint;
  readonly requests: number;
  readonly unpriced: number;
}

/** Pays for all calls first. */
export async function readBooks(db: Database, spaceId: string): Promise<Books> {
  await settleAll(db);
  const grants = await db.query<{ remaining: string }>(
    sql`select remaining from grants where space_id = ${spaceId} order by id`,
  );
  const [account] = await db.query<{ overage: string; requests: number; unpriced: number }>(sql`
    select a.overage_accrued as overage, coalesce(sum(t.requests), 0)::bigint as requests,
      coalesce(sum(t.unpriced), 0)::bigint as unpriced
    from accounts a left join month_totals t on t.space_id = a.space_id
    where a.space_id = ${spaceId} group by a.overage_accrued`);
  if (account === undefined) throw new Error(`no account of ${spaceId}`);
  const { overage, requests, unpriced } = account;
  return {
    remaining: grants.map((grant) => parseUnits(grant.remaining)),
    overage: parseUnits(overage),
    requests,
    unpriced,
  };
}

/** An ordinary call with this space and cost, changed by `more`. */
export function callOf(
  spaceId: string,
  cost: bigint | string | null,
  more: Partial<CallRecord> = {},
): CallRecord {
  const now = systemClock.now();
  const total = typeof cost === 'string' ? parseUnits(cost) : cost;
  return {
    id: newId('req', now),
    spaceId,
    keyId: 'key_1',
    memberId: null,
    endpoint: 'chat',
    model: 'sim-chat',
    provider: 'simulator',
    upstreamModel: 'sim-chat',
    streamed: false,
    outcome: 'completed',
    problem: null,
    finishReason: 'stop',
    usage: { inputTokens: 1, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 1, reasoningTokens: 0 },
    usageSource: 'provider',
    priceVersion: total === null ? null : 'test-1',
    charge: total === null ? null : { total: total as Units, lines: [] },
    attempts: 1,
    tried: [],
    startedAt: now,
    firstByteMs: null,
    durationMs: 5,
    chargedAt: now,
    ...more,
  };
}
