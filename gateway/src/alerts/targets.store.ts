/** The rows of targets. Their addresses and secrets leave this file only to be sent to. */

import type { AlertTargetType } from '../contract/administration/words.ts';
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { type Sql, sql } from '../database/sql.ts';
import { enqueueJob, enqueueJobs } from '../jobs/jobs.store.ts';
import type { Instant } from '../kernel/time.ts';
import { DELIVERY_JOB } from './events.store.ts';

/** The kind and the subject of the job that looks for events; it exists while there are targets. */
export const NOTICE_JOB = { kind: 'alert-sweep', subject: 'all' } as const;

export interface AlertTarget {
  readonly id: string;
  readonly name: string;
  readonly type: AlertTargetType;
  readonly address: string;
  readonly kinds: readonly string[] | null;
  readonly createdAt: Instant;
}

export interface NewAlertTarget extends AlertTarget {
  /** Null: of the installation. */
  readonly spaceId: string | null;
  /** In base64; null: what is sent is not signed. */
  readonly secret: string | null;
}

const columns = sql`id, name, type, address, kinds, created_at as "createdAt"`;

function isOf(spaceId: string | null): Sql {
  return sql`coalesce(space_id, '') = ${spaceId ?? ''} and removed_at is null`;
}

/** Also starts looking for events. */
export async function insertTarget(tx: Transaction, target: NewAlertTarget): Promise<void> {
  const at = timestamp(target.createdAt);
  await enqueueJob(tx, { ...NOTICE_JOB, dueAt: target.createdAt, now: target.createdAt });
  await tx.query(sql`
    insert into alert_targets (id, space_id, name, type, address, secret, kinds, created_at)
    values (${target.id}, ${target.spaceId}, ${target.name}, ${target.type}, ${target.address},
      decode(${target.secret}, 'base64'), ${target.kinds}::text[], ${at})`);
}

export async function listTargets(db: Queryable, spaceId: string | null): Promise<AlertTarget[]> {
  return await db.query<AlertTarget>(sql`
    select ${columns} from alert_targets where ${isOf(spaceId)} order by name collate "C"`);
}

export async function findTarget(
  db: Queryable,
  of: { spaceId: string | null; id: string },
): Promise<AlertTarget | null> {
  const [target] = await db.query<AlertTarget>(sql`
    select ${columns} from alert_targets where id = ${of.id} and ${isOf(of.spaceId)}`);
  return target ?? null;
}

/** What is not delivered yet is given up at once. */
export async function removeTarget(tx: Transaction, id: string, now: Instant): Promise<void> {
  const waiting = await tx.query<{ id: string }>(sql`
    select id from deliveries where target_id = ${id} and state = 'pending'`);
  await enqueueJobs(tx, { kind: DELIVERY_JOB, subjects: waiting.map((one) => one.id), now });
  await tx.query(sql`
    update alert_targets set removed_at = ${timestamp(now)}, address = '', secret = null where id = ${id}`);
}

export async function hasTargets(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ any: boolean }>(sql`
    select exists (select 1 from alert_targets where removed_at is null) as any`);
  return row?.any ?? false;
}
