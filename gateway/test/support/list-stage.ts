/** A database with rows for lists, and reading a list page by page. */
import { afterAll, beforeAll, expect } from 'vitest';
import { type Database, timestamp } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import type { Cursor, Page } from '../../src/database/page.ts';
import { sql } from '../../src/database/sql.ts';
import { type IdPrefix, newId } from '../../src/kernel/ids.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { openSpace } from '../../src/ledger/open-space.ts';
import { type Engine, makePlace, type TestPlace } from './engines.ts';

/** Noon of a day in KST, in the middle of a month. */
export const NOW = Date.parse('2026-11-15T12:00:00+09:00');

export type ReadPage<Row> = (page: { after: Cursor | null; limit: number }) => Promise<Page<Row>>;

/** Every row, read in pages of this size. */
export async function readAll<Row>(read: ReadPage<Row>, limit: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (let after: Cursor | null = null, pages = 0; ; pages++) {
    const page: Page<Row> = await read({ after, limit });
    expect(page.rows.length).toBeLessThanOrEqual(limit);
    rows.push(...page.rows);
    if (page.next === null) return rows;
    expect(pages).toBeLessThan(1_000);
    after = page.next;
  }
}

/** Opens a database of its own for the tests of a `describe`. */
export function useDatabase(engine: Engine): { readonly db: Database } {
  const used: { db?: Database; place?: TestPlace } = {};
  beforeAll(async () => {
    used.place = await makePlace(engine);
    const { databaseUrl: url, folder } = used.place;
    used.db = await openDatabase({ url, folder, clock: systemClock });
  });
  afterAll(async () => {
    await used.db?.close();
    await used.place?.remove();
  });
  return {
    get db() {
      return used.db as Database;
    },
  };
}

let made = 0;

export async function makeListSpace(db: Database, name = `list-${++made}`, overage = true): Promise<string> {
  const space = { id: newId('spc', NOW), name, overageAllowed: overage, keepsResponses: true };
  await db.transaction((tx) => openSpace(tx, { ...space, createdAt: NOW }));
  return space.id;
}

export interface MadeMember {
  readonly id: string;
  readonly email: string;
}

export async function makeMember(
  db: Database,
  spaceId: string,
  member: { email: string; nickname?: string; role?: string; at?: number },
): Promise<MadeMember> {
  const { email, nickname = email, role = 'member', at = NOW } = member;
  const id = newId('mem', at);
  await db.query(sql`
    insert into members (id, space_id, email, nickname, role, created_at)
    values (${id}, ${spaceId}, ${email}, ${nickname}, ${role}, ${timestamp(at)})`);
  return { id, email };
}

export interface NewListKey {
  readonly name: string;
  readonly memberId?: string | null;
  readonly kind?: string;
  readonly at?: number;
  readonly expiresAt?: number;
  readonly disabledAt?: number;
  readonly revokedAt?: number;
}

/** Returns its id. */
export async function makeKey(db: Database, spaceId: string, key: NewListKey): Promise<string> {
  const { name, memberId = null, at = NOW } = key;
  const kind = key.kind ?? (memberId === null ? 'shared' : 'personal');
  const id = newId('key', at);
  const timeOf = (instant: number | undefined): string | null =>
    instant === undefined ? null : timestamp(instant);
  await db.query(sql`
    insert into keys (id, space_id, kind, member_id, created_by, name, digest, hint, expires_at, disabled_at,
      revoked_at, created_at)
    values (${id}, ${spaceId}, ${kind}, ${memberId}, ${memberId}, ${name}, ${id}, 'sk_…', ${timestamp(key.expiresAt ?? NOW + 1)},
      ${timeOf(key.disabledAt)}, ${timeOf(key.revokedAt)}, ${timestamp(at)})`);
  return id;
}

/** Ids in the order of numbers. */
export function numberedId(prefix: IdPrefix, n: number): string {
  return newId(prefix, NOW + n);
}
