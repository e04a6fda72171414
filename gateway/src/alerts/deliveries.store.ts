/** The rows of deliveries: an event on its way to a target, and how its attempts went. */
import type { AlertKind, AlertTargetType, DeliveryState } from '../contract/administration/words.ts';
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { type Filters, ListOrder, type Page, type PageRequest } from '../database/page.ts';
import { allOf, sql } from '../database/sql.ts';
import { enqueueJob } from '../jobs/jobs.store.ts';
import { Secret } from '../kernel/secret.ts';
import type { Instant } from '../kernel/time.ts';
import { DELIVERY_JOB } from './events.store.ts';

export interface StoredEvent {
  readonly id: string;
  readonly kind: AlertKind;
  readonly at: Instant;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What a delivery is sent with. */
export interface Delivery {
  readonly id: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** Whose target it is; null: of the installation. */
  readonly spaceId: string | null;
  readonly type: AlertTargetType;
  /** Null: the target was removed. */
  readonly address: Secret | null;
  /** In base64. */
  readonly secret: Secret | null;
  readonly event: StoredEvent;
}

export async function readDelivery(db: Queryable, id: string): Promise<Delivery | null> {
  const [row] = await db.query<
    Pick<Delivery, 'id' | 'state' | 'attempts' | 'spaceId' | 'type'> & {
      eventId: string;
      kind: AlertKind;
      at: Instant;
      data: StoredEvent['data'];
      address: string | null;
      secret: string | null;
    }
  >(sql`
    select d.id, d.state, d.attempts, d.space_id as "spaceId", t.type, e.id as "eventId", e.kind, e.at, e.data,
      case when t.removed_at is null then t.address end as address,
      translate(encode(t.secret, 'base64'), e'\n', '') as secret
    from deliveries d join events e on e.id = d.event_id join alert_targets t on t.id = d.target_id
    where d.id = ${id}`);
  if (row === undefined) return null;
  const { eventId, kind, at, data, address, secret, ...delivery } = row;
  return {
    ...delivery,
    address: address === null ? null : new Secret(address),
    secret: secret === null ? null : new Secret(secret),
    event: { id: eventId, kind, at, data },
  };
}

export interface Attempt {
  readonly state: DeliveryState;
  readonly at: Instant;
  /** When it is tried again; null: never. */
  readonly nextAt: Instant | null;
  /** What an HTTP receiver answered; null: nothing. */
  readonly status: number | null;
  /** Why it failed; null: it did not. */
  readonly problem: string | null;
}

export async function recordAttempt(tx: Transaction, id: string, attempt: Attempt): Promise<void> {
  const { state, at, nextAt, status, problem } = attempt;
  await tx.query(sql`
    update deliveries set state = ${state}, attempts = attempts + 1, last_at = ${timestamp(at)},
      next_at = ${nextAt === null ? null : timestamp(nextAt)}, status = ${status}, problem = ${problem}
    where id = ${id} and state = 'pending'`);
}

/** A delivery as the log shows it. */
export interface ListedDelivery {
  readonly id: string;
  readonly kind: AlertKind;
  readonly target: string;
  readonly type: AlertTargetType;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly status: number | null;
  readonly problem: string | null;
  readonly event_id: string;
  readonly data: StoredEvent['data'];
  readonly created_at: Instant;
  readonly last_at: Instant | null;
  readonly next_at: Instant | null;
}

const newest = new ListOrder('deliveries', ['text']);
const listed = sql`
  select d.id, e.kind, t.name as target, t.type, d.state, d.attempts, d.status, d.problem, e.id as event_id, e.data,
    d.created_at, d.last_at, d.next_at
  from deliveries d join events e on e.id = d.event_id join alert_targets t on t.id = d.target_id`;

/** Newest first. `spaceId` null: of the installation. */
export async function readDeliveryPage(
  db: Queryable,
  of: Filters<{ state: DeliveryState; event: AlertKind }> & { spaceId: string | null } & PageRequest,
): Promise<Page<ListedDelivery>> {
  const conditions = [sql`coalesce(d.space_id, '') = ${of.spaceId ?? ''}`];
  const position = newest.position(of.after);
  if (position !== null) conditions.push(sql`d.id < ${position[0]}`);
  if (of.state) conditions.push(sql`d.state = ${of.state}`);
  if (of.event) conditions.push(sql`e.kind = ${of.event}`);
  const rows = await db.query<ListedDelivery>(sql`
    ${listed} where ${allOf(conditions)} order by d.id desc limit ${of.limit + 1}`);
  return newest.page(rows, of.limit, ({ id }) => [id]);
}

export async function findDelivery(
  db: Queryable,
  of: { spaceId: string | null; id: string },
): Promise<ListedDelivery | null> {
  const [row] = await db.query<ListedDelivery>(sql`
    ${listed} where d.id = ${of.id} and coalesce(d.space_id, '') = ${of.spaceId ?? ''}`);
  return row ?? null;
}

/** Sends it once more from the first attempt, whatever became of it. */
export async function sendAgain(tx: Transaction, id: string, now: Instant): Promise<void> {
  await enqueueJob(tx, { kind: DELIVERY_JOB, subject: id, dueAt: now, now });
  await tx.query(sql`
    update deliveries set state = 'pending', attempts = 0, next_at = ${timestamp(now)} where id = ${id}`);
}
