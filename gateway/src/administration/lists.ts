/** Lists: temporary bodies until the paged stores arrive. */
import { listAudit } from '../access/audit.store.ts';
import { listKeys } from '../access/keys.store.ts';
import { listMembers } from '../access/members.store.ts';
import { listOperators } from '../access/people.store.ts';
import { listBuilds, listProjects } from '../access/projects.store.ts';
import type { Space } from '../access/spaces.store.ts';
import { listSpaces } from '../access/spaces.store.ts';
import { listBatches } from '../batches/batches.store.ts';
import type { Queryable } from '../database/database.ts';
import { Problem } from '../kernel/problem.ts';
import type { Instant } from '../kernel/time.ts';
import { kstOf, monthOf, printMonthEnd } from '../kernel/time.ts';
import { addUnits, printUnits, ZERO } from '../kernel/units.ts';
import { readBalance } from '../ledger/balance.store.ts';
import { listGrants } from '../ledger/grants.store.ts';
import { listEntries } from '../ledger/journal.store.ts';
import { readUsage } from '../responses/kept-usage.store.ts';
import { roleOf } from './authorize.ts';
import { shownRules } from './key-rules.ts';
import { keyNamed, projectNamed } from './named-records.ts';
import { read } from './operation.ts';
import { shownLimit, shownTime } from './read-input.ts';
import { shownSpace } from './spaces.ts';

async function spaceRow(db: Queryable, space: Space, now: Instant) {
  const kept = await readUsage(db);
  const { promo, paid, overageAccrued } = await readBalance(db, space.id, now);
  return {
    ...shownSpace(space),
    held: printUnits(addUnits(promo, paid)),
    overage: printUnits(overageAccrued),
    kept_responses: kept.get(space.id)?.responses ?? 0,
    kept_bytes: kept.get(space.id)?.bytes ?? 0,
  };
}

function page<T>(data: T[]) {
  return { data, next_cursor: null };
}

const spaces = read('spaces.list', async ({ db, now, actor }) => {
  const seen = (await listSpaces(db)).filter(({ id }) => roleOf(actor, id) !== null);
  return page(await Promise.all(seen.map((space) => spaceRow(db, space, now))));
});
const space = read('spaces.get', ({ db, now, space }) => spaceRow(db, space, now));

async function keyRows(db: Queryable, space: Space, now: Instant) {
  const [keys, members] = [await listKeys(db, space.id), await listMembers(db, space.id)];
  const emails = new Map(members.map((member) => [member.id, member.email]));
  return keys.map((key) => ({
    id: key.id,
    name: key.name,
    kind: key.kind,
    hint: key.hint,
    owner: key.memberId === null ? null : (emails.get(key.memberId) ?? null),
    created_by: key.createdBy === null ? null : (emails.get(key.createdBy) ?? null),
    state: (key.disabled ? 'disabled' : 'active') as 'disabled' | 'active',
    created_at: kstOf(key.createdAt),
    ...shownRules(key),
    spent: '0',
    resets_at: printMonthEnd(monthOf(now)),
    last_used_at: null,
  }));
}
const keys = read('keys.list', async ({ db, now, space }) => page(await keyRows(db, space, now)));
const key = read('keys.get', async ({ db, now, space, own }, { name }) => {
  const { id } = await keyNamed(db, { space, own }, name);
  const row = (await keyRows(db, space, now)).find((one) => one.id === id);
  if (row === undefined) throw new Problem('not_found');
  return row;
});
const members = read('members.list', async ({ db, now, space }) =>
  page(
    (await listMembers(db, space.id)).map((member) => ({
      email: member.email,
      nickname: member.nickname,
      role: member.role,
      month_limit: shownLimit(member.monthLimit),
      id: member.id,
      spent: '0',
      resets_at: printMonthEnd(monthOf(now)),
      active_keys: 0,
      last_active_at: null,
      created_at: kstOf(member.createdAt),
    })),
  ),
);
const grants = read('grants.list', async ({ db, space }) =>
  page(
    (await listGrants(db, space.id)).map((grant) => ({
      id: grant.id,
      kind: grant.kind,
      amount: printUnits(grant.amount),
      remaining: printUnits(grant.remaining),
      expires_at: shownTime(grant.expiresAt),
      note: grant.note,
      created_at: kstOf(grant.createdAt),
    })),
  ),
);
const journal = read('ledger.list', async ({ db, space }, { limit = 50 }) =>
  page(
    (await listEntries(db, { spaceId: space.id, limit })).map(({ id, at, kind, ref, moves, note }) => {
      const of = (account: 'issued' | 'promo' | 'paid' | 'overage' | 'spent' | 'expired' | 'invoiced') =>
        printUnits(moves[account] ?? ZERO);
      return {
        entry: id,
        at: kstOf(at),
        kind,
        ref,
        issued: of('issued'),
        promo: of('promo'),
        paid: of('paid'),
        overage: of('overage'),
        spent: of('spent'),
        expired: of('expired'),
        invoiced: of('invoiced'),
        note,
      };
    }),
  ),
);
const shownBatch = (batch: Awaited<ReturnType<typeof listBatches>>[number]) => ({
  id: batch.id,
  space: batch.space,
  model: batch.model,
  endpoint: '',
  owner: null,
  status: batch.status,
  total: batch.total,
  completed: batch.completed,
  failed: batch.failed,
  settlement: batch.settlementStatus,
  reason: batch.settlementReason,
  units: batch.settledUnits === null ? null : printUnits(batch.settledUnits),
  output_file_id: null,
  error_file_id: null,
  created_at: kstOf(batch.createdAt),
  expires_at: kstOf(batch.createdAt),
});
const batches = read('batches.list', async ({ db, space }, { settlement = null, limit = 50 }) =>
  page((await listBatches(db, { spaceId: space.id, settlement, limit })).map(shownBatch)),
);
const quarantine = read('quarantine.list', async ({ db }, { limit = 50 }) =>
  page((await listBatches(db, { spaceId: null, settlement: 'quarantined', limit })).map(shownBatch)),
);
const operators = read('operators.list', async ({ db }) =>
  page(
    (await listOperators(db)).map(({ email, passwordHash, createdAt }) => ({
      email,
      has_password: passwordHash !== null,
      created_at: kstOf(createdAt),
    })),
  ),
);
const projects = read('projects.list', async ({ db, space }) =>
  page(
    (await listProjects(db, space.id)).map(({ id, name, createdAt }) => ({
      id,
      name,
      space: space.name,
      created_at: kstOf(createdAt),
    })),
  ),
);
const builds = read('builds.list', async ({ db, space }, input) => {
  const project = await projectNamed(db, space, input.project);
  const found = await listBuilds(db, { projectId: project.id, countMax: 100 });
  return page(
    found.map(({ id, status, startedAt, finishedAt }) => ({
      id,
      status,
      started_at: kstOf(startedAt),
      finished_at: shownTime(finishedAt),
    })),
  );
});
const shownLine = (line: Awaited<ReturnType<typeof listAudit>>[number]) => ({
  ...line,
  at: kstOf(line.at),
  before: line.before as Record<string, unknown> | null,
  after: line.after as Record<string, unknown> | null,
});
const audit = read('audit.list', async ({ db, space }, { limit = 50 }) =>
  page((await listAudit(db, { spaceId: space.id, limit })).map(shownLine)),
);
const auditAll = read('audit.all', async ({ db }, { limit = 50 }) =>
  page((await listAudit(db, { spaceId: null, limit })).map(shownLine)),
);

export const listOperations = [
  ...[spaces, space, keys, key, members, grants, journal, batches, quarantine, operators],
  ...[projects, builds, audit, auditAll],
] as const;
