/** The fields and filters of the lists of keys, members, spaces, people, jobs, the audit log and the ledger. */
import { describe, expect, test } from 'vitest';
import { insertAuditLine } from '../../src/access/audit.store.ts';
import { bindMember } from '../../src/access/members.store.ts';
import { insertUnconfirmedPerson } from '../../src/access/people.store.ts';
import { SCANNED_ROWS_MAX } from '../../src/database/bounded-scan.ts';
import { type Database, timestamp } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { DAY_MS } from '../../src/kernel/durations.ts';
import { newId } from '../../src/kernel/ids.ts';
import { parseUnits } from '../../src/kernel/units.ts';
import { giveUnits } from '../../src/ledger/grants.store.ts';
import { invoiceOverage } from '../../src/ledger/invoices.store.ts';
import { expireUnits } from '../../src/ledger/settle.store.ts';
import { type CallRecord, callRow, joinRows } from '../../src/metering/call-record.ts';
import { recordCalls } from '../../src/metering/calls.store.ts';
import { chargeJob } from '../../src/metering/charge-job.ts';
import { readAuditPage } from '../../src/reports/lists/audit-page.store.ts';
import { readBatchPage } from '../../src/reports/lists/batch-page.store.ts';
import { readJobPage } from '../../src/reports/lists/job-page.store.ts';
import { readEntryPage, readGrantPage, readInvoicePage } from '../../src/reports/lists/journal-page.store.ts';
import { type KeyFilters, readKeyPage } from '../../src/reports/lists/key-page.store.ts';
import { readMediaPage, readReferencePage } from '../../src/reports/lists/media-page.store.ts';
import { readMemberPage } from '../../src/reports/lists/member-page.store.ts';
import { readPersonPage } from '../../src/reports/lists/person-page.store.ts';
import { readBuildPage, readProjectPage } from '../../src/reports/lists/project-page.store.ts';
import { readSpacePage } from '../../src/reports/lists/space-page.store.ts';
import { callOf } from '../chaos/books.ts';
import { engines } from '../support/engines.ts';
import { makeKey, makeListSpace, makeMember, NOW, useDatabase } from '../support/list-stage.ts';

const whole = { after: null, limit: 100 };
const LAST_MONTH = NOW - 20 * DAY_MS;

async function charge(
  db: Database,
  spaceId: string,
  call: Partial<CallRecord> & { cost: string },
): Promise<void> {
  const { cost, ...more } = call;
  const row = callRow(callOf(spaceId, cost, more));
  await recordCalls(db, { rows: joinRows([row]), spaces: [spaceId], at: more.chargedAt ?? NOW });
}

async function give(
  db: Database,
  spaceId: string,
  grant: { kind: 'promo' | 'paid'; amount: string; expiresAt?: number },
) {
  const { kind, amount, expiresAt = null } = grant;
  const made = { id: newId('grt', NOW), spaceId, kind, amount: parseUnits(amount), expiresAt, note: '' };
  await db.transaction((tx) => giveUnits(tx, { ...made, createdAt: NOW }));
  return made.id;
}

describe.each(engines)('lists on %s', (engine) => {
  const stage = useDatabase(engine);

  test('a key shows its owner, state, limits, spending of the month and last use', async () => {
    const { db } = stage;
    const spaceId = await makeListSpace(db);
    const kim = await makeMember(db, spaceId, { email: 'Kim@example.com' });
    const id = await makeKey(db, spaceId, { name: 'Laptop', memberId: kim.id });
    await db.query(sql`
      update keys set month_limit = 12.5, models = array['a', 'b'], requests_per_minute = 10,
        former_digest = 'x', former_until = ${timestamp(NOW + 5)}, ends_at = ${timestamp(NOW + 7)}
      where id = ${id}`);
    const own = { keyId: id, memberId: kim.id };
    await charge(db, spaceId, { ...own, cost: '1', chargedAt: LAST_MONTH });
    await charge(db, spaceId, { ...own, cost: '0.25', chargedAt: NOW - 2_000 });
    await charge(db, spaceId, { ...own, cost: '0.000000000001', model: 'other', chargedAt: NOW - 1_000 });
    // A commit that is late does not turn the last use back.
    await charge(db, spaceId, { ...own, cost: '0', model: 'other', chargedAt: NOW - 5_000 });
    const { rows } = await readKeyPage(db, { spaceId, order: 'name', now: NOW, ...whole });
    expect(rows).toEqual([
      {
        ...{ id, name: 'Laptop', kind: 'personal', hint: 'sk_…', state: 'active' },
        ...{ owner: 'Kim@example.com', created_by: 'Kim@example.com', created_at: NOW },
        ...{ endsAt: NOW + 7, formerUntil: NOW + 5, spent: '0.250000000001' },
        rules: {
          ...{ month_limit: parseUnits('12.5'), requests_per_minute: 10, tokens_per_minute: null },
          ...{ models: ['a', 'b'], tags: null, disabled: false, expires_at: NOW + 1 },
        },
        last_used_at: NOW - 1_000,
      },
    ]);
    await db.query(sql`update members set expires_at = ${timestamp(NOW)} where id = ${kim.id}`);
    const expired = await readKeyPage(db, {
      ...{ spaceId, order: 'name', now: NOW, state: 'expired', ...whole },
    });
    expect(expired.rows).toMatchObject([{ id, state: 'expired' }]);
  });

  test('the last use of a key includes batches and videos, and earlier months', async () => {
    const { db } = stage;
    const spaceId = await makeListSpace(db);
    const [old, batch, unused] = [
      await makeKey(db, spaceId, { name: 'a' }),
      await makeKey(db, spaceId, { name: 'b' }),
      await makeKey(db, spaceId, { name: 'c' }),
    ];
    await charge(db, spaceId, { keyId: old, cost: '1', chargedAt: LAST_MONTH });
    await charge(db, spaceId, { keyId: batch, cost: '1', chargedAt: NOW - 9_000 });
    const job = { id: 'batch_1', spaceId, keyId: batch, model: 'sim-chat', requests: 3, unpriced: 0 };
    await db.transaction((tx) => chargeJob(tx, { ...job, cost: parseUnits('1'), at: NOW - 3_000 }));
    const { rows } = await readKeyPage(db, { spaceId, order: 'name', now: NOW, ...whole });
    expect(rows.map((row) => [row.id, row.spent, row.last_used_at])).toEqual([
      [old, '0', LAST_MONTH],
      [batch, '2', NOW - 3_000],
      [unused, '0', null],
    ]);
  });

  test('keys are filtered by kind, owner, state and the beginning of their name', async () => {
    const { db } = stage;
    const spaceId = await makeListSpace(db);
    const [kim, lee] = [
      await makeMember(db, spaceId, { email: 'kim@example.com' }),
      await makeMember(db, spaceId, { email: 'lee@example.com' }),
    ];
    const make = (name: string, more: object = {}) => makeKey(db, spaceId, { name, ...more });
    await make('CI-build');
    await make('ci-Deploy', { disabledAt: NOW });
    await make('circle', { expiresAt: NOW });
    await make('ci_%', { revokedAt: NOW });
    await make('laptop', { memberId: kim.id });
    await make('phone', { memberId: lee.id });
    await make('reports', { kind: 'management' });
    await db.query(sql`update members set removed_at = ${timestamp(NOW)} where id = ${lee.id}`);
    const names = async (filters: KeyFilters): Promise<string[]> => {
      const { rows } = await readKeyPage(db, { spaceId, order: 'name', now: NOW, ...filters, ...whole });
      return rows.map(({ name }) => name);
    };
    const all = ['CI-build', 'ci-Deploy', 'circle', 'laptop', 'phone', 'reports'];
    expect(await names({})).toEqual(all);
    expect(await names({ revoked: true })).toEqual([...all.slice(0, 2), 'ci_%', ...all.slice(2)]);
    expect(await names({ kind: 'management' })).toEqual(['reports']);
    expect(await names({ kind: 'gateway' })).toEqual(all.slice(0, -1));
    expect(await names({ memberId: kim.id })).toEqual(['laptop']);
    expect(await names({ state: 'active' })).toEqual(['CI-build', 'laptop', 'reports']);
    expect(await names({ state: 'disabled' })).toEqual(['ci-Deploy', 'phone']);
    expect(await names({ state: 'expired' })).toEqual(['circle']);
    expect(await names({ state: 'revoked' })).toEqual(['ci_%']);
    expect(await names({ search: 'CI' })).toEqual(['CI-build', 'ci-Deploy', 'circle']);
    expect(await names({ search: 'ci-' })).toEqual(['CI-build', 'ci-Deploy']);
    expect(await names({ search: 'ci_%', revoked: true })).toEqual(['ci_%']);
    expect(await names({ search: '%' })).toEqual([]);
  });

  test('a member shows what all their keys spent and did, and is found by e-mail, nickname and role', async () => {
    const { db } = stage;
    const spaceId = await makeListSpace(db);
    const kim = await makeMember(db, spaceId, { email: 'kim@example.com', nickname: 'Minji', role: 'admin' });
    const lee = await makeMember(db, spaceId, { email: 'lee@example.com', nickname: 'Juno' });
    const gone = await makeMember(db, spaceId, { email: 'gone@example.com' });
    await db.query(sql`update members set removed_at = ${timestamp(NOW)} where id = ${gone.id}`);
    await db.query(sql`
      update members set month_limit = 3, requests_per_minute = 5, tokens_per_minute = 7, models = array['a'],
        expires_at = ${timestamp(NOW + 9)}
      where id = ${kim.id}`);
    const [active, revoked] = [
      await makeKey(db, spaceId, { name: 'a', memberId: kim.id }),
      await makeKey(db, spaceId, { name: 'b', memberId: kim.id, revokedAt: NOW }),
    ];
    await makeKey(db, spaceId, { name: 'c', memberId: kim.id, expiresAt: NOW });
    await charge(db, spaceId, { keyId: active, memberId: kim.id, cost: '1.5', chargedAt: NOW - 3 });
    await charge(db, spaceId, { keyId: revoked, memberId: kim.id, cost: '0.5', chargedAt: NOW - 2 });
    const read = async (filters: object = {}) =>
      (await readMemberPage(db, { spaceId, now: NOW, ...filters, ...whole })).rows;
    const [first, second] = await read();
    expect(first).toEqual({
      ...{ id: kim.id, email: 'kim@example.com', nickname: 'Minji', role: 'admin', created_at: NOW },
      ...{ spent: '2', active_keys: 1, last_active_at: NOW - 2 },
      rules: {
        ...{ month_limit: parseUnits('3'), requests_per_minute: 5, tokens_per_minute: 7, models: ['a'] },
        tags: null,
        expires_at: NOW + 9,
      },
      unconfirmed: false,
    });
    expect(second).toMatchObject({
      id: lee.id,
      rules: { month_limit: null },
      spent: '0',
      active_keys: 0,
      last_active_at: null,
    });
    const found = async (filters: object) => (await read(filters)).map(({ id }) => id);
    expect(await found({ role: 'admin' })).toEqual([kim.id]);
    expect(await found({ search: 'UNO' })).toEqual([lee.id]);
    expect(await found({ search: 'm@ex' })).toEqual([kim.id]);
    expect(await found({ search: 'gone' })).toEqual([]);
  });

  test('a member is unconfirmed while nobody has confirmed the account that accepted the invitation', async () => {
    const { db } = stage;
    const spaceId = await makeListSpace(db);
    const { id } = await makeMember(db, spaceId, { email: 'new@example.com' });
    const personId = newId('per', NOW);
    const person = { id: personId, email: `${personId}@example.com`, nickname: 'New', passwordHash: 'x' };
    await db.transaction(async (tx) => {
      await insertUnconfirmedPerson(tx, { ...person, now: NOW });
      await bindMember(tx, id, personId);
    });
    const read = async () => (await readMemberPage(db, { spaceId, now: NOW, ...whole })).rows;
    expect(await read()).toMatchObject([{ id, unconfirmed: true }]);
    await db.query(sql`update people set confirmed = true where id = ${personId}`);
    expect(await read()).toMatchObject([{ id, unconfirmed: false }]);
    // The list of people in another test has only its own.
    await db.query(sql`update members set person_id = null where id = ${id}`);
    await db.query(sql`delete from people where id = ${personId}`);
  });

  test('a space shows its balance, spending, members and active keys, and whether it can spend', async () => {
    const { db } = stage;
    const [rich, poor] = [
      await makeListSpace(db, 'rich-space'),
      await makeListSpace(db, 'poor-space', false),
    ];
    await give(db, rich, { kind: 'promo', amount: '3', expiresAt: NOW + 1 });
    await give(db, rich, { kind: 'paid', amount: '1' });
    // It pays for the calls of last month and has expired when the list is read.
    await give(db, rich, { kind: 'promo', amount: '50', expiresAt: NOW });
    const kim = await makeMember(db, rich, { email: 'kim@example.com' });
    const key = await makeKey(db, rich, { name: 'a', memberId: kim.id });
    await makeKey(db, rich, { name: 'b', disabledAt: NOW });
    await charge(db, rich, { keyId: key, cost: '2.5', chargedAt: LAST_MONTH });
    await charge(db, rich, { keyId: key, cost: '2', chargedAt: NOW });
    const read = async (filters: object) =>
      (await readSpacePage(db, { now: NOW, ...filters, ...whole })).rows;
    expect(await read({ search: 'RICH' })).toEqual([
      {
        ...{ id: rich, name: 'rich-space', created_at: NOW, can_spend: true },
        rules: {
          ...{ overage_allowed: true, keeps_responses: true, unpriced_allowed: false, hard_limits: false },
          ...{ blocked: false, requests_per_minute: null, tokens_per_minute: null },
        },
        ...{
          held: '2',
          overage: '0',
          spent: '2',
          members: 1,
          active_keys: 1,
        },
        ...{ kept_responses: 0, kept_bytes: 0, reserved: '0' },
      },
    ]);
    expect(await read({ ids: [poor] })).toMatchObject([
      { id: poor, can_spend: false, rules: { blocked: false } },
    ]);
    expect((await read({ ids: [poor, rich] })).map(({ id }) => id)).toEqual([poor, rich]);
    expect(await read({ ids: [] })).toEqual([]);
  });

  test('people are filtered by e-mail and operator, and show whether they have a password', async () => {
    const { db } = stage;
    const add = async (email: string, operator: boolean, hash: string | null) =>
      await db.query(sql`
        insert into people (id, email, nickname, is_operator, password_hash, created_at)
        values (${newId('per', NOW)}, ${email}, 'x', ${operator}, ${hash}, ${timestamp(NOW)})`);
    const [boss, kim] = ['Boss@people.example', 'kim@people.example'];
    await add(boss, true, null);
    await add(kim, false, 'hash');
    const read = async (filters: object) => (await readPersonPage(db, { ...filters, ...whole })).rows;
    expect(await read({})).toEqual([
      { email: 'Boss@people.example', has_password: false, created_at: NOW },
      { email: 'kim@people.example', has_password: true, created_at: NOW },
    ]);
    expect((await read({ operator: true })).map(({ email }) => email)).toEqual([boss]);
    expect((await read({ operator: false })).map(({ email }) => email)).toEqual([kim]);
    expect((await read({ search: 'boss@' })).map(({ email }) => email)).toEqual([boss]);
  });

  test('batches are filtered by state, settlement, model, owner and time; quarantined ones over all spaces', async () => {
    const { db } = stage;
    const [spaceId, other] = [await makeListSpace(db), await makeListSpace(db, 'other-space')];
    const kim = await makeMember(db, spaceId, { email: 'kim@example.com' });
    const shared = await makeKey(db, spaceId, { name: 'backend' });
    const make = async (
      of: string,
      more: { at?: number; owner?: string; status?: string; settlement?: string; model?: string },
    ) => {
      const { at = NOW, owner = shared, status = 'in_progress', settlement = 'pending', model = 'm' } = more;
      const id = newId('batch', at);
      await db.query(sql`
        insert into batches (id, space_id, owner, key_id, input_file_id, endpoint, model, status, total, created_at,
          expires_at, settlement_status, settlement_reason)
        values (${id}, ${of}, ${owner}, ${shared}, 'file_1', '/v1/chat/completions', ${model}, ${status}, 7,
          ${timestamp(at)}, ${timestamp(at + DAY_MS)}, ${settlement}, 'why')`);
      return id;
    };
    const a = await make(spaceId, {});
    const b = await make(spaceId, {
      at: NOW + 1,
      owner: kim.id,
      status: 'completed',
      settlement: 'quarantined',
    });
    const c = await make(spaceId, { at: NOW + 2, model: 'o' });
    const d = await make(other, { at: NOW + 3, settlement: 'quarantined' });
    const read = async (filters: object, of: string | null = spaceId) =>
      (await readBatchPage(db, { spaceId: of, ...filters, ...whole })).rows;
    const ids = async (filters: object, of?: string | null) => (await read(filters, of)).map(({ id }) => id);
    expect((await read({}))[1]).toEqual({
      ...{ id: b, space: expect.any(String), owner: 'kim@example.com', key: 'backend', model: 'm' },
      ...{ endpoint: '/v1/chat/completions', status: 'completed', total: 7, completed: 0, failed: 0 },
      ...{ created_at: NOW + 1, ended_at: null, expires_at: NOW + 1 + DAY_MS, input_file_id: 'file_1' },
      ...{ output_file_id: null, error_file_id: null, settlement: 'quarantined', reason: 'why' },
      ...{ units: null, settled_at: null },
    });
    expect(await ids({})).toEqual([c, b, a]);
    expect(await ids({ status: 'completed' })).toEqual([b]);
    expect(await ids({ settlement: 'quarantined' })).toEqual([b]);
    expect(await ids({ settlement: 'quarantined' }, null)).toEqual([d, b]);
    expect(await ids({ model: 'o' })).toEqual([c]);
    expect(await ids({ owner: shared })).toEqual([c, a]);
    expect(await ids({ owner: kim.id })).toEqual([b]);
    expect(await ids({ from: NOW + 1, until: NOW + 2 })).toEqual([b]);
    await db.query(sql`
      update batches set status = 'completed', completed_at = ${timestamp(NOW)}, settlement_status = 'settled',
        settled_units = 0, settled_at = ${timestamp(NOW)}, settled_month = '2026-11', settled_requests = 7
      where id = ${c}`);
    expect(await ids({ settlement: 'settled' })).toEqual([c]);
    expect(await ids({ settlement: 'unsettled' })).toEqual([b, a]);
  });

  test('jobs and media are filtered by state, model, kind and owner, and expired files are left out', async () => {
    const { db } = stage;
    const spaceId = await makeListSpace(db);
    const kim = await makeMember(db, spaceId, { email: 'kim@example.com' });
    const job = async (at: number, owner: string, status: string, model: string) => {
      const id = newId('job', at);
      await db.query(sql`
        insert into video_jobs (id, space_id, owner, key_id, model, status, created_at, completed_at, expires_at, cost,
          error)
        values (${id}, ${spaceId}, ${owner}, 'key_1', ${model}, ${status}, ${timestamp(at)},
          ${status === 'queued' ? null : timestamp(at)}, ${timestamp(at)}, 1.50,
          ${status === 'failed' ? '{"code": "content_blocked"}' : null})`);
      return id;
    };
    const [a, b] = [await job(NOW, kim.id, 'queued', 'v1'), await job(NOW + 1, 'key_9', 'failed', 'v2')];
    const jobs = async (filters: object) => (await readJobPage(db, { spaceId, ...filters, ...whole })).rows;
    expect((await jobs({}))[0]).toEqual({
      ...{ id: b, owner: null, key: null, model: 'v2', status: 'failed', progress: null },
      ...{ problem: 'content_blocked', created_at: NOW + 1, started_at: null },
      ...{ completed_at: NOW + 1, expires_at: NOW + 1, cost: '1.5' },
    });
    const ids = async (rows: Promise<ReadonlyArray<{ id: string }>>) => (await rows).map(({ id }) => id);
    expect(await ids(jobs({ status: 'queued' }))).toEqual([a]);
    expect(await ids(jobs({ model: 'v2' }))).toEqual([b]);
    expect(await ids(jobs({ owner: kim.id }))).toEqual([a]);
    expect(await ids(jobs({ from: NOW + 1 }))).toEqual([b]);
    expect(await ids(jobs({ until: NOW + 1 }))).toEqual([a]);

    const reference = async (at: number, kind: string, owner: string, expiresAt: number) => {
      const id = newId('ref', at);
      await db.query(sql`
        insert into reference_files (id, space_id, owner, track, kind, mime_type, bytes, sha256, created_at, expires_at)
        values (${id}, ${spaceId}, ${owner}, 'file', ${kind}, 'image/png', 5, '', ${timestamp(at)}, ${timestamp(expiresAt)})`);
      return id;
    };
    const image = await reference(NOW, 'image', kim.id, NOW + 1);
    const audio = await reference(NOW + 1, 'audio', 'key_9', NOW + 1);
    await reference(NOW + 2, 'image', kim.id, NOW);
    const references = async (filters: object) =>
      (await readReferencePage(db, { spaceId, now: NOW, ...filters, ...whole })).rows;
    expect(await references({ kind: 'image' })).toEqual([
      {
        ...{ id: image, owner: 'kim@example.com', key: null, track: 'file', kind: 'image' },
        ...{ mime_type: 'image/png', bytes: 5, created_at: NOW, expires_at: NOW + 1 },
      },
    ]);
    expect(await ids(references({ owner: 'key_9' }))).toEqual([audio]);
    expect(await ids(references({ track: 'managed' }))).toEqual([]);

    await db.query(sql`
      insert into media (id, space_id, owner, job_id, position, kind, status, mime_type, created_at, bytes, sha256,
        expires_at, duration_seconds)
      values ('media_1', ${spaceId}, ${kim.id}, ${a}, 0, 'video', 'pending', 'video/mp4', ${timestamp(NOW)}, null, null, null, null),
        ('media_2', ${spaceId}, 'key_9', ${b}, 0, 'video', 'ready', 'video/mp4', ${timestamp(NOW)}, 9, '', ${timestamp(NOW + 1)}, 4.5),
        ('media_3', ${spaceId}, 'key_9', ${b}, 1, 'video', 'ready', 'video/mp4', ${timestamp(NOW)}, 9, '', ${timestamp(NOW)}, 4.5)`);
    const media = async (filters: object) =>
      (await readMediaPage(db, { spaceId, now: NOW, ...filters, ...whole })).rows;
    expect(await ids(media({ kind: 'video' }))).toEqual(['media_2', 'media_1']);
    expect(await media({ status: 'ready' })).toMatchObject([
      { id: 'media_2', job_id: b, bytes: 9, duration_seconds: 4.5 },
    ]);
    expect(await ids(media({ owner: kim.id }))).toEqual(['media_1']);
  });

  test('the audit log is filtered by actor, beginning of the action, subject and time, and shows all spaces to operators', async () => {
    const { db } = stage;
    const [spaceId, other] = [await makeListSpace(db), await makeListSpace(db)];
    const add = async (at: number, actor: string, action: string, space: string | null, subject: string) =>
      await db.transaction((tx) =>
        insertAuditLine(tx, { at, actor, action, spaceId: space, subject, before: null, after: { at } }),
      );
    await add(NOW, 'kim@example.com', 'keys.create', spaceId, 'laptop');
    await add(NOW + 2, 'Lee@example.com', 'keys.rotate', spaceId, 'laptop');
    // An earlier time that was written later.
    await add(NOW + 1, 'kim@example.com', 'members.add', spaceId, 'new@example.com');
    await add(NOW + 3, 'root', 'spaces.create', other, 'other');
    await add(NOW + 4, 'root', 'operators.add', null, 'someone');
    const read = async (filters: object, of: string | null = spaceId) =>
      (await readAuditPage(db, { spaceId: of, ...filters, ...whole })).rows.map(({ action }) => action);
    expect(await read({})).toEqual(['keys.rotate', 'members.add', 'keys.create']);
    expect(await read({}, null)).toEqual([
      'operators.add',
      'spaces.create',
      'keys.rotate',
      'members.add',
      'keys.create',
    ]);
    expect(await read({ actor: 'lee@example.com' })).toEqual(['keys.rotate']);
    expect(await read({ action: 'keys.' })).toEqual(['keys.rotate', 'keys.create']);
    expect(await read({ action: 'keys.%' })).toEqual([]);
    expect(await read({ subject: 'laptop', action: 'keys.r' })).toEqual(['keys.rotate']);
    expect(await read({ from: NOW + 1, until: NOW + 2 })).toEqual(['members.add']);
    const { rows } = await readAuditPage(db, { spaceId: null, actor: 'root', after: null, limit: 1 });
    expect(rows[0]).toMatchObject({
      space: null,
      subject: 'someone',
      before: null,
      after: { at: NOW + 4 },
    });
    // Rare lines in a long log are found page by page.
    await db.query(sql`
      insert into audit_log (at, actor, action, space_id, subject)
      select ${timestamp(NOW + 10)}::timestamptz + n * interval '1 millisecond', 'bot', 'keys.limit', ${spaceId}, 'x'
      from generate_series(1, ${SCANNED_ROWS_MAX}) n`);
    const empty = await readAuditPage(db, { spaceId, action: 'members.', after: null, limit: 5 });
    expect(empty.rows).toEqual([]);
    const next = await readAuditPage(db, { spaceId, action: 'members.', after: empty.next, limit: 5 });
    expect(next).toMatchObject({ rows: [{ subject: 'new@example.com' }], next: null });
  });

  test('the ledger lists entries by kind and time, invoices, and grants with what remains of them', async () => {
    const { db } = stage;
    const spaceId = await makeListSpace(db);
    const promo = await give(db, spaceId, { kind: 'promo', amount: '2', expiresAt: NOW + 5 });
    await charge(db, spaceId, { cost: '0.5', chargedAt: NOW + 1 });
    await expireUnits(db, NOW + 6);
    const paid = await give(db, spaceId, { kind: 'paid', amount: '1' });
    await charge(db, spaceId, { cost: '1.75', chargedAt: NOW + 7 });
    const invoice = { id: newId('inv', NOW), spaceId, note: 'November', at: NOW + 8 };
    await db.transaction((tx) => invoiceOverage(tx, invoice));
    const entries = async (filters: object = {}) =>
      (await readEntryPage(db, { spaceId, ...filters, ...whole })).rows.map(({ kind }) => kind);
    expect(await entries()).toEqual([
      ...['invoice', 'payment', 'charge', 'expiry', 'payment', 'charge', 'grant', 'grant'],
    ]);
    expect(await entries({ kind: 'charge' })).toEqual(['charge', 'charge']);
    expect(await entries({ kind: 'expiry' })).toEqual(['expiry']);
    expect(await entries({ kind: 'correction' })).toEqual([]);
    expect(await entries({ from: NOW + 1, until: NOW + 7 })).toEqual(['expiry', 'payment', 'charge']);
    const { rows } = await readEntryPage(db, { spaceId, kind: 'charge', ...whole });
    const moves = {
      issued: '0',
      promo: '0',
      paid: '0',
      overage: '0',
      spent: '1.75',
      expired: '0',
      invoiced: '0',
      due: '-1.75',
    };
    expect(rows[0]).toEqual({
      entry: expect.any(Number),
      at: NOW + 7,
      kind: 'charge',
      ref: 'calls',
      ...moves,
      note: '',
    });
    const invoices = await readInvoicePage(db, { spaceId, ...whole });
    expect(invoices.rows).toEqual([
      { id: invoice.id, at: NOW + 8, units: '0.75', note: 'November', entry: expect.any(Number) },
    ]);
    expect((await readInvoicePage(db, { spaceId, until: NOW + 8, ...whole })).rows).toEqual([]);
    const grants = async (filters: object = {}) =>
      (await readGrantPage(db, { spaceId, now: NOW + 9, ...filters, ...whole })).rows;
    expect(await grants({ expired: true })).toEqual([
      {
        ...{ id: promo, kind: 'promo', amount: '2', remaining: '0', expires_at: NOW + 5 },
        ...{ note: '', created_at: NOW },
      },
    ]);
    expect(await grants({ expired: false })).toMatchObject([{ id: paid, remaining: '0', expires_at: null }]);
    expect((await grants({ kind: 'paid' })).map(({ id }) => id)).toEqual([paid]);
  });

  test('a project shows its newest build, removed projects are left out, and builds are filtered by status', async () => {
    const { db } = stage;
    const spaceId = await makeListSpace(db);
    const add = async (id: string, name: string, removed = false) =>
      await db.query(sql`
        insert into projects (id, space_id, name, created_at, removed_at)
        values (${id}, ${spaceId}, ${name}, ${timestamp(NOW)}, ${removed ? timestamp(NOW) : null})`);
    await add('web', 'Web shop');
    await add('api', 'Backend');
    await add('gone', 'Gone', true);
    const build = async (at: number, status: string) => {
      const id = newId('bld', at);
      await db.query(sql`
        insert into builds (id, project_id, status, started_at, finished_at)
        values (${id}, 'web', ${status}, ${timestamp(at)}, ${status === 'running' ? null : timestamp(at + 1)})`);
      return id;
    };
    const [failed, running] = [await build(NOW, 'failed'), await build(NOW + 5, 'running')];
    const projects = async (filters: object = {}) =>
      (await readProjectPage(db, { spaceId, ...filters, ...whole })).rows;
    const newest = { id: running, status: 'running', started_at: NOW + 5, finished_at: null };
    expect(await projects()).toEqual([
      { id: 'api', name: 'Backend', created_at: NOW, last_build: null },
      { id: 'web', name: 'Web shop', created_at: NOW, last_build: newest },
    ]);
    expect((await projects({ search: 'BACK' })).map(({ id }) => id)).toEqual(['api']);
    expect((await projects({ search: 'we' })).map(({ id }) => id)).toEqual(['web']);
    const builds = async (filters: object = {}) =>
      (await readBuildPage(db, { projectId: 'web', ...filters, ...whole })).rows.map(({ id }) => id);
    expect(await builds()).toEqual([running, failed]);
    expect(await builds({ status: 'failed' })).toEqual([failed]);
  });
});
