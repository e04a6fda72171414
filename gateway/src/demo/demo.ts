/** Sets up the demo: a space with units and keys, which call the simulator. */
import { insertAuditLine } from '../access/audit.store.ts';
import { createKey } from '../access/create-key.ts';
import { createSignInLink, LINK_MINUTES } from '../access/create-link.ts';
import { insertMember, NO_RULES } from '../access/members.store.ts';
import { ensurePerson, updateOperator } from '../access/people.store.ts';
import { findHeldIds, findOverlap } from '../access/project-ids.store.ts';
import { insertProject } from '../access/projects.store.ts';
import { findSpace, listSpaces } from '../access/spaces.store.ts';
import type { Database, Transaction } from '../database/database.ts';
import { DAY_MS } from '../kernel/durations.ts';
import { newId } from '../kernel/ids.ts';
import { type Clock, type Instant, isoOf } from '../kernel/time.ts';
import { parseUnits } from '../kernel/units.ts';
import { giveUnits } from '../ledger/grants.store.ts';
import { openSpace } from '../ledger/open-space.ts';
import { DEMO_SPACE } from './demo-space.ts';

const DEMO_EMAIL = 'demo@example.com';
export const DEMO_PROJECT = 'demo';
const KEY_DAYS = 90;
const PROMO_DAYS = 30;

/** The secrets of the keys, which are shown only here. */
export interface DemoKeys {
  readonly gateway: string;
  readonly management: string;
}

/** Whether nobody has created a space in the database: it belongs to the demo alone. */
export async function isUnusedDatabase(db: Database): Promise<boolean> {
  return (await listSpaces(db)).length === 0;
}

/**
 * Creates the demo space, once per database; null if it exists. `pastFrom`: an invented past begins then and ends now
 * (demo/demo-data.ts); null: the space starts empty.
 */
export async function ensureDemoSpace(
  db: Database,
  clock: Clock,
  { pastFrom }: { pastFrom: Instant | null },
): Promise<DemoKeys | null> {
  if ((await findSpace(db, DEMO_SPACE)) !== null) return null;
  const now = clock.now();
  const hasPast = pastFrom !== null;
  const createdAt = pastFrom ?? now;
  const space = {
    id: newId('spc', createdAt),
    name: DEMO_SPACE,
    overageAllowed: true,
    keepsResponses: true,
    createdAt,
  };
  const owner = {
    id: newId('mem', createdAt),
    spaceId: space.id,
    email: DEMO_EMAIL,
    nickname: 'demo',
    rules: NO_RULES,
    createdAt,
  };
  const grant = { spaceId: space.id, createdAt };
  const key = { spaceId: space.id, createdBy: owner.id, expiresAt: now + KEY_DAYS * DAY_MS };
  return await db.transaction(async (tx) => {
    await openSpace(tx, space);
    await insertMember(tx, { ...owner, role: 'admin' });
    const [promoEnds, paidNote] = [now + PROMO_DAYS * DAY_MS, 'demo'];
    await giveUnits(tx, {
      ...grant,
      id: newId('grt', createdAt),
      kind: 'promo',
      amount: parseUnits('10'),
      expiresAt: promoEnds,
      note: 'welcome',
    });
    await giveUnits(tx, {
      ...grant,
      id: newId('grt', createdAt),
      kind: 'paid',
      // Little enough to be used up in the past, so that there is overage to invoice.
      amount: parseUnits(hasPast ? '60' : '100'),
      expiresAt: null,
      note: paidNote,
    });
    const gateway = await createKey(tx, { ...key, kind: 'personal', memberId: owner.id, name: 'demo' }, now);
    const management = await createKey(
      tx,
      { ...key, kind: 'management', memberId: null, name: 'demo-management' },
      now,
    );
    const audited = { at: createdAt, actor: 'demo', spaceId: space.id, subject: DEMO_SPACE, before: null };
    const after = { name: DEMO_SPACE, ...(hasPast && { past_until: isoOf(now) }) };
    await insertAuditLine(tx, { ...audited, action: 'spaces.create', after });
    return { gateway: gateway.secret, management: management.secret };
  });
}

/** A one-time sign-in to the console of the demo. */
export interface DemoSignIn {
  readonly email: string;
  readonly code: string;
  readonly minutes: number;
}

/** Creates the person (an operator) and the project of the demo if they are missing, and a sign-in link. */
export async function ensureDemoPerson(db: Database, clock: Clock): Promise<DemoSignIn> {
  const now = clock.now();
  return await db.transaction(async (tx) => {
    const person = await ensurePerson(tx, {
      id: newId('per', now),
      email: DEMO_EMAIL,
      nickname: 'demo',
      now,
    });
    if (!person.isOperator) await updateOperator(tx, person.id, { isOperator: true, now });
    const space = await findSpace(tx, DEMO_SPACE);
    if (space !== null && (await isFree(tx, space.id, DEMO_PROJECT))) {
      const project = { id: DEMO_PROJECT, spaceId: space.id, name: DEMO_PROJECT, createdAt: now };
      await insertProject(tx, project);
    }
    const { code } = await createSignInLink(tx, { personId: person.id, madeBy: 'shell' }, now);
    return { email: DEMO_EMAIL, code, minutes: LINK_MINUTES };
  });
}

/** Whether neither the space nor another one has the id, or had it. */
async function isFree(tx: Transaction, spaceId: string, ids: string): Promise<boolean> {
  const of = { spaceId, ids };
  return (await findHeldIds(tx, of)) === null && (await findOverlap(tx, of)) === null;
}
