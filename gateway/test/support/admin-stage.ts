/** A gateway on which every case of `admin-cases.ts` can be run, and people in every role. */
import { sql } from '../../src/database/sql.ts';
import { newId } from '../../src/kernel/ids.ts';
import { systemClock } from '../../src/kernel/time.ts';
import {
  ACME_CALL,
  acme,
  askedBudget,
  BATCH,
  BUDGET_REQUEST,
  BUILD,
  CALL,
  calmBudget,
  DELIVERY,
  fresh,
  INVITATION,
  type Input,
  JOB,
  kim,
  LINE,
  lee,
  OPERATOR_DELIVERY,
  OPERATOR_TARGET,
  OPERATOR_TOKEN,
  oldBudget,
  otto,
  PASSWORD,
  quietBudget,
  SUBJECTS,
  shut,
  spare,
  spareIds,
  spareSubjects,
  TARGET,
  TOKEN,
  UNPRICED_CALL,
  WORKLOAD,
  web,
  workloadRule,
} from './admin-cases.ts';
import { changeConfig, testConfig } from './config.ts';
import { startGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts';

/** The fields of answers that show a secret. */
export interface Secrets {
  readonly key?: string;
  readonly code?: string;
  readonly token?: string;
}

export interface AdminStage {
  readonly gateway: TestGateway;
  /** What was not known before the run. */
  readonly known: Map<unknown, string>;
  /** The input with what was not known before. */
  fill(input: Input): Input;
  /** Runs an operation as someone with a shell does, by a name that the compiler does not know. */
  run(name: string, input: Input): Promise<Secrets>;
  /** A session of a person that exists. */
  session(email: string): Promise<string>;
}

/** Nobody asks the issuer for its keys here. */
const withIssuer = changeConfig(testConfig(), {
  workload_identity: {
    issuers: [{ name: 'cluster', issuer: 'https://cluster.invalid', audience: 'tollgate' }],
  },
});

export async function startAdminStage(options: TestGatewayOptions = {}): Promise<AdminStage> {
  const gateway = await startGateway({ config: withIssuer, ...options });
  const known = new Map<unknown, string>();
  await gateway.admin('spaces.create', { name: 'lab', overage: true });
  await gateway.admin('spaces.create', { name: 'debtor', overage: true });
  await gateway.admin('members.add', { ...kim, role: 'member' });
  await gateway.admin('members.add', { ...lee, role: 'member' });
  await gateway.admin('operators.add', { ...otto, password: PASSWORD });
  for (const project of [web, shut]) await gateway.admin('projects.add', { ...acme, ...project });
  for (const ids of [fresh.id, spareIds.ids]) await gateway.admin('projectIds.give', { ...acme, ids });
  for (const given of [spareSubjects, { issuer: 'cluster', subjects: 'repo:spare/*' }])
    known.set(SUBJECTS, (await gateway.admin('workloadSubjects.give', { ...acme, ...given })).id);
  const rule = { ...acme, key: 'test', ...workloadRule };
  known.set(WORKLOAD, (await gateway.admin('workloads.add', rule)).id);
  for (const name of [oldBudget, calmBudget, askedBudget])
    await gateway.admin('budgets.add', { ...acme, name, ...quietBudget });
  const asked = await gateway.admin('budgets.ask', { ...acme, budget: askedBudget, amount: '2' });
  known.set(BUDGET_REQUEST, asked.id);
  await gateway.admin('aliases.set', { ...acme, alias: 'quick', model: 'sim-chat' });
  known.set(BUILD, (await gateway.admin('builds.start', { ...acme, project: web.id })).id);
  await gateway.admin('keys.create', { ...spare, kind: 'shared' });
  const debtor = await gateway.admin('keys.create', { space: 'debtor', name: 'debtor', kind: 'shared' });
  known.set(CALL, await callWith(gateway, debtor.key));
  known.set(ACME_CALL, await callWith(gateway, gateway.key));
  known.set(UNPRICED_CALL, await callWith(gateway, gateway.key, 'unpriced'));
  known.set(TOKEN, (await gateway.admin('tokens.create', { ...acme, name: 'ci', access: 'read' })).id);
  const ops = await gateway.admin('operatorTokens.create', { name: 'ops', access: 'write' });
  known.set(OPERATOR_TOKEN, ops.id);
  const guest = { ...acme, email: 'visitor@acme.test', role: 'member' as const };
  known.set(INVITATION, (await gateway.admin('invitations.create', guest)).id);
  known.set(LINE, String((await gateway.admin('audit.list', { ...acme, limit: 1 })).data[0]?.id));
  await addBatch(gateway, { id: BATCH, key: 'test' });
  await addJob(gateway, { id: JOB, key: 'test' });
  await addAlerts(gateway);
  const fill = (input: Input): Input =>
    Object.fromEntries(Object.entries(input).map(([name, value]) => [name, known.get(value) ?? value]));
  return {
    gateway,
    known,
    fill,
    run: (name, input) => gateway.admin(name as 'status', fill(input)) as Promise<object>,
    session: (email) => sessionOf(gateway, email),
  };
}

/** Makes a call; answers its id. */
export async function callWith({ chat }: TestGateway, key: string, model = 'sim-chat'): Promise<string> {
  const body = { model, messages: [{ role: 'user', content: 'Hello' }] };
  const reply = await chat(body, { authorization: `Bearer ${key}` });
  if (reply.status !== 200) throw new Error(await reply.text());
  return reply.headers.get('x-request-id') as string;
}

/** With a one-time link, which is faster than a password. */
async function sessionOf({ admin, url }: TestGateway, email: string): Promise<string> {
  const { code } = await admin('people.link', { email });
  const reply = await fetch(`${url}/api/console/session/link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code, keep: 'token' }),
  });
  return ((await reply.json()) as { token: string }).token;
}

/** What somebody has in the space `acme`: a key, and what was made with it. */
export interface Things {
  /** The name of the key. */
  readonly key: string;
  readonly call: string;
  readonly batch: string;
  readonly job: string;
  readonly media: string;
  readonly reference: string;
  /** A request for more of a budget. */
  readonly asked: string;
}

/** Without an e-mail address the key is shared, and owns what is made with it. */
export async function addThings(gateway: TestGateway, key: string, email?: string): Promise<Things> {
  const kind = email === undefined ? { kind: 'shared' as const } : { kind: 'personal' as const, email };
  const made = await gateway.admin('keys.create', { ...acme, name: key, ...kind });
  const now = systemClock.now();
  const [batch, job] = [newId('batch', now), newId('job', now)];
  const [media, reference] = [newId('media', now), newId('file', now)];
  await addBatch(gateway, { id: batch, key });
  await addJob(gateway, { id: job, key });
  await gateway.query(sql`
    insert into media (id, space_id, owner, job_id, position, kind, status, mime_type, created_at)
    select ${media}, space_id, owner, id, 0, 'video', 'pending', 'video/mp4', now() from video_jobs where id = ${job}`);
  await gateway.query(sql`
    insert into reference_files (id, space_id, owner, track, kind, mime_type, bytes, sha256, created_at, expires_at)
    select ${reference}, space_id, owner, 'file', 'image', 'image/png', 1, 'x', now(), now() + interval '1 day'
    from video_jobs where id = ${job}`);
  const asked = newId('breq', now);
  await gateway.query(sql`
    insert into budget_requests (id, space_id, budget_id, starts, value_id, amount, asked_by, created_at, state)
    select ${asked}, space_id, id, '2026-01', '', 1, ${email ?? key}, now(), 'declined'
    from budgets where name = ${calmBudget}`);
  return { key, call: await callWith(gateway, made.key), batch, job, media, reference, asked };
}

/** A batch whose settlement waits for an operator, and whose job is in other hands for long. */
async function addBatch({ query }: TestGateway, { id, key }: { id: string; key: string }): Promise<void> {
  await query(sql`
    insert into batches (id, space_id, owner, key_id, member_id, input_file_id, endpoint, model, status, total,
      created_at, expires_at, settlement_status, settlement_reason)
    select ${id}, space_id, coalesce(member_id, id), id, member_id, 'f', 'chat', 'sim-chat', 'completed', 1, now(),
      now(), 'quarantined', 'a line has no usage'
    from keys where name = ${key}`);
  await query(sql`
    insert into jobs (kind, subject, due_at, created_at, lease_until)
    values ('batch', ${id}, now() + interval '1 day', now(), now() + interval '1 day')`);
}

/** A video that nobody works on. */
async function addJob({ query }: TestGateway, { id, key }: { id: string; key: string }): Promise<void> {
  await query(sql`
    insert into video_jobs (id, space_id, owner, key_id, member_id, model, status, created_at, expires_at)
    select ${id}, space_id, coalesce(member_id, id), id, member_id, 'sim-video', 'queued', now(),
      now() + interval '1 day'
    from keys where name = ${key}`);
}

/** A target of `acme` and one of the installation, each with a test that was given up. Nobody looks for events. */
async function addAlerts({ query }: TestGateway): Promise<void> {
  await query(sql`
    insert into alert_targets (id, space_id, name, type, address, created_at)
    select ${TARGET}, id, 'hook', 'webhook', 'https://hooks.invalid/in', now() from spaces where name = 'acme'
    union all select ${OPERATOR_TARGET}, null, 'hook of all', 'webhook', 'https://hooks.invalid/in', now()`);
  await query(sql`
    insert into events (id, space_id, kind, subject, period, threshold, at, data)
    select 'evt_' || id, space_id, 'test', id, '', '', now(), '{}' from alert_targets`);
  await query(sql`
    insert into deliveries (id, event_id, target_id, space_id, state, attempts, created_at)
    select case when space_id is null then ${OPERATOR_DELIVERY} else ${DELIVERY} end, 'evt_' || id, id, space_id,
      'failed', 10, now() from alert_targets`);
}
