/**
 * The audit log: every administrative change leaves exactly one line, with the change or not at all. The
 * table below has a case for each command there is; one that is added without a case fails here.
 */
import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AdminArgs } from '../src/app/admin/command.ts';
import { adminCommands } from '../src/app/admin-commands.ts';
import { sql } from '../src/database/sql.ts';
import { engines } from './support/engines.ts';
import { startGateway, type TestGateway } from './support/gateway.ts';
import { runCli } from './support/run-cli.ts';

interface ChangeCase {
  readonly args: AdminArgs;
  /** Cannot be done. */
  readonly bad: AdminArgs;
  readonly space: string;
  readonly subject: unknown;
  readonly before: unknown;
  readonly after: unknown;
}

interface Line {
  readonly actor: string;
  readonly action: string;
  readonly space: string | null;
  readonly subject: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** What is not known before the run; in `args` and `subject` it stands for itself. */
const CALL = 'CALL';
const BATCH = `batch_${'0'.repeat(26)}`;
const acme = { space: 'acme' };
const ghost = { ...acme, name: 'ghost' };
const spare = { ...acme, name: 'spare' };
const kim = { ...acme, email: 'kim@acme.test' };
const hint = expect.stringMatching(/^(sk|mk)_….{4}$/);
const moment = expect.stringMatching(/^\d{4}-.*Z$/);

const changes: Readonly<Record<string, ChangeCase>> = {
  'spaces.create': {
    args: { name: 'fresh', overage: true },
    bad: { name: 'acme' },
    space: 'fresh',
    subject: 'fresh',
    before: null,
    after: expect.objectContaining({ name: 'fresh', overage_allowed: true }),
  },
  'spaces.overage': switchOf('overage_allowed', { from: true, to: false }),
  'spaces.keepResponses': switchOf('keeps_responses', { from: true, to: false }),
  'spaces.block': switchOf('blocked', { from: false, to: true }),
  'spaces.rate': {
    ...switchOf('requests_per_minute', { from: 'none', to: 60 }),
    args: { space: 'lab', requests: '60' },
    bad: { space: 'lab', requests: '-60' },
  },
  'spaces.invoice': {
    args: { space: 'debtor', note: 'invoice 7' },
    bad: acme,
    space: 'debtor',
    subject: 'debtor',
    before: { overage: expect.stringMatching(/^0\.0+\d+$/) },
    after: expect.objectContaining({ id: expect.stringMatching(/^inv_/), at: moment }),
  },
  'members.add': {
    args: { ...acme, email: 'new@acme.test', role: 'member' },
    bad: { ...kim, role: 'member' },
    space: 'acme',
    subject: 'new@acme.test',
    before: null,
    after: expect.objectContaining({ email: 'new@acme.test', role: 'member', month_limit: 'none' }),
  },
  'members.limit': {
    args: { ...kim, amount: '5' },
    bad: { ...kim, amount: '-5' },
    space: 'acme',
    subject: 'kim@acme.test',
    before: { month_limit: 'none' },
    after: { month_limit: '5' },
  },
  'members.remove': {
    args: kim,
    bad: { ...acme, email: 'nobody@acme.test' },
    space: 'acme',
    subject: 'kim@acme.test',
    before: expect.objectContaining({ email: 'kim@acme.test', month_limit: '5' }),
    after: null,
  },
  'keys.create': {
    args: { ...acme, name: 'made', kind: 'management' },
    bad: { ...acme, name: 'test', kind: 'shared' },
    space: 'acme',
    subject: 'made',
    before: null,
    after: expect.objectContaining({ name: 'made', kind: 'management', key: hint, expires: moment }),
  },
  'keys.rotate': {
    args: { ...spare, grace: '1' },
    bad: { ...spare, grace: '-1' },
    space: 'acme',
    subject: 'spare',
    before: { key: hint, expires: moment },
    after: { key: hint, expires: moment, former_until: moment },
  },
  'keys.limit': keyCase({ amount: '2.5' }, { amount: 'much' }, 'month_limit', ['none', '2.5']),
  'keys.disable': keyCase({ state: 'on' }, { state: 'maybe' }, 'disabled', [false, true]),
  'keys.expire': keyCase({ date: '2999-01-01' }, { date: '2001-01-01' }, 'expires', [
    moment,
    '2998-12-31T15:00:00.000Z',
  ]),
  'keys.rate': keyCase({ tokens: '1000' }, { tokens: 'many' }, 'tokens_per_minute', ['none', 1000]),
  'keys.models': keyCase({ models: 'sim-chat' }, { models: ',' }, 'models', ['all', 'sim-chat']),
  'keys.revoke': {
    args: spare,
    bad: ghost,
    space: 'acme',
    subject: 'spare',
    before: expect.objectContaining({ month_limit: '2.5', models: 'sim-chat', disabled: true }),
    after: { revoked: true },
  },
  'grants.add': {
    args: { ...acme, amount: '3.000000000001', kind: 'promo', expires: '2999-01-01', note: 'welcome' },
    bad: { ...acme, amount: '3', kind: 'paid', expires: '2999-01-01' },
    space: 'acme',
    subject: expect.stringMatching(/^grt_/),
    before: null,
    after: expect.objectContaining({ amount: '3.000000000001', kind: 'promo', note: 'welcome' }),
  },
  'ledger.correct': {
    args: { call: CALL, amount: '7', note: 'wrong price' },
    bad: { call: `req_${'0'.repeat(26)}`, amount: '7' },
    space: 'debtor',
    subject: CALL,
    before: { cost: expect.stringMatching(/^0\.0+\d+$/) },
    after: { cost: '7', note: 'wrong price' },
  },
  'batches.requeue': {
    args: { id: BATCH },
    bad: { id: `batch_${'1'.repeat(26)}` },
    space: 'acme',
    subject: BATCH,
    before: { settlement: 'quarantined', reason: 'a line has no usage' },
    after: { settlement: 'queued' },
  },
};

const questions: Readonly<Record<string, AdminArgs>> = {
  'spaces.list': {},
  'members.list': acme,
  'keys.list': acme,
  'grants.list': acme,
  'ledger.list': acme,
  'ledger.verify': {},
  'reports.usage': { ...acme, by: 'model' },
  'reports.balance': acme,
  'audit.list': {},
  'batches.list': {},
  why: { ref: CALL },
};

function switchOf(field: string, { from, to }: { from: unknown; to: unknown }): ChangeCase {
  return {
    args: { space: 'lab', state: to === true ? 'on' : 'off' },
    bad: { space: 'nowhere', state: 'on' },
    space: 'lab',
    subject: 'lab',
    before: expect.objectContaining({ [field]: from }),
    after: expect.objectContaining({ [field]: to }),
  };
}

function keyCase(args: AdminArgs, bad: AdminArgs, field: string, [from, to]: [unknown, unknown]): ChangeCase {
  return {
    args: { ...spare, ...args },
    bad: { ...spare, ...bad },
    space: 'acme',
    subject: 'spare',
    before: expect.objectContaining({ [field]: from }),
    after: expect.objectContaining({ [field]: to }),
  };
}

test('every command there is has a case here, in the table it belongs to', () => {
  const commands = Object.entries(adminCommands);
  const named = (changing: boolean) =>
    commands.filter(([, command]) => command.changes === changing).map(([name]) => name);
  expect(Object.keys(changes).sort()).toEqual(named(true).sort());
  expect(Object.keys(questions).sort()).toEqual(named(false).sort());
});

describe.each(engines)('the audit log on %s', (engine) => {
  let gateway: TestGateway;
  let call: string;
  /** Every text of a key that was handed out. */
  const secrets: string[] = [];

  beforeAll(async () => {
    gateway = await startGateway({ engine });
    secrets.push(gateway.key);
    await gateway.admin('spaces.create', { name: 'lab', overage: true });
    await gateway.admin('spaces.create', { name: 'debtor', overage: true });
    await gateway.admin('members.add', { ...kim, role: 'member' });
    await gateway.admin('keys.create', { ...spare, kind: 'shared' });
    const made = await gateway.admin<{ key: string }>('keys.create', {
      space: 'debtor',
      name: 'debtor',
      kind: 'shared',
    });
    const words = [{ role: 'user', content: 'Hello' }];
    const body = { model: 'sim-chat', messages: words };
    const reply = await gateway.chat(body, { authorization: `Bearer ${made.key}` });
    expect(reply.status).toBe(200);
    call = reply.headers.get('x-request-id') as string;
    await holdBatchBack();
  });
  afterAll(() => gateway.stop());

  /** A batch whose settlement waits for an operator, and whose job is in other hands for long. */
  async function holdBatchBack(): Promise<void> {
    await gateway.query(sql`
      insert into batches (id, space_id, owner, key_id, input_file_id, endpoint, model, status, total, created_at,
        expires_at, settlement_status, settlement_reason)
      select ${BATCH}, id, 'o', 'k', 'f', 'chat', 'sim-chat', 'completed', 1, now(), now(), 'quarantined',
        'a line has no usage'
      from spaces where name = 'acme'`);
    await gateway.query(sql`
      insert into jobs (kind, subject, due_at, created_at, lease_until)
      values ('batch', ${BATCH}, now() + interval '1 day', now(), now() + interval '1 day')`);
  }

  const fill = (args: AdminArgs): AdminArgs =>
    Object.fromEntries(Object.entries(args).map(([name, value]) => [name, value === CALL ? call : value]));

  function lines(): Promise<Line[]> {
    return gateway.query<Line>(sql`
      select a.actor, a.action, s.name as space, a.subject, a.before, a.after
      from audit_log a left join spaces s on s.id = a.space_id order by a.id`);
  }

  /** Everything the database holds, table by table. */
  async function state(): Promise<Record<string, string>> {
    const tables = await gateway.query<{ name: string }>(sql`
      select table_name::text as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`);
    const held: Record<string, string> = {};
    for (const { name } of tables) {
      const text = `select coalesce(string_agg(t::text, ';' order by t::text), '') as rows from "${name}" t`;
      const [row] = await gateway.query<{ rows: string }>({ text, values: [] });
      held[name] = row?.rows ?? '';
    }
    return held;
  }

  test('a command that cannot be done leaves neither a change nor a line', async () => {
    for (const [name, { bad }] of Object.entries(changes)) {
      const before = await state();
      await expect(gateway.admin(name, fill(bad)), name).rejects.toThrow();
      expect(await state(), name).toEqual(before);
    }
  });

  test('a change whose line cannot be written is not made', async () => {
    await gateway.query(sql`alter table audit_log add constraint closed check (false) not valid`);
    for (const [name, { args }] of Object.entries(changes)) {
      const before = await state();
      await expect(gateway.admin(name, fill(args)), name).rejects.toThrow(/closed/);
      expect(await state(), name).toEqual(before);
    }
    await gateway.query(sql`alter table audit_log drop constraint closed`);
  });

  test('every change writes exactly one line: who, what, before, after', async () => {
    for (const [name, { args, space, subject, before, after }] of Object.entries(changes)) {
      const [known, held] = [await lines(), await state()];
      const answer = await gateway.admin<{ key?: string }>(name, fill(args));
      if (answer.key !== undefined) secrets.push(answer.key);
      const { audit_log: _, ...rest } = await state();
      expect(held, name).not.toMatchObject(rest);
      const told = await lines();
      expect(told.slice(0, known.length)).toEqual(known);
      const about = subject === CALL ? call : subject;
      expect(told.slice(known.length), name).toEqual([
        { actor: 'test', action: name, space, subject: about, before, after },
      ]);
    }
  });

  test('questions write nothing', async () => {
    for (const [name, args] of Object.entries(questions)) {
      const before = await state();
      await gateway.admin(name, fill(args));
      expect(await state(), name).toEqual(before);
    }
  });

  test('no text of a key is in it, nor anywhere else in the database', async () => {
    expect(secrets.length).toBe(3);
    const held = JSON.stringify(await state());
    expect(held).toContain('keys.rotate');
    for (const secret of secrets) expect(held).not.toContain(secret);
  });

  test('it is listed newest first, of all spaces or of one, at most so many', async () => {
    const all = await gateway.admin<Line[]>('audit.list', { limit: '1000' });
    expect(all.map(({ action }) => action)).toEqual((await lines()).map(({ action }) => action).reverse());
    const own = await gateway.admin<Line[]>('audit.list', { space: 'debtor', limit: '2' });
    expect(own.map(({ action, space }) => [action, space])).toEqual([
      ['ledger.correct', 'debtor'],
      ['spaces.invoice', 'debtor'],
    ]);
  });
});

test('the command line names its operator, and shows only what changed', async () => {
  const gateway = await startGateway();
  try {
    const run = (...args: string[]) =>
      runCli([...args, '--data', gateway.folder, '--config', gateway.configFile]);
    expect((await run('keys', 'limit', 'test', '5')).code).toBe(0);
    const { stdout } = await run('audit', '--limit', '1');
    const [head, line, ...more] = stdout.trimEnd().split('\n');
    expect(head).toMatch(/^ID +AT +ACTOR +ACTION +SPACE +SUBJECT +CHANGE$/);
    expect(line).toMatch(
      new RegExp(`operator:${userInfo().username} +keys\\.limit +acme +test +month_limit: none → 5$`),
    );
    expect(more).toEqual([]);
  } finally {
    await gateway.stop();
  }
});
