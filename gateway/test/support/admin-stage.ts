/** A gateway on which every case of `admin-cases.ts` can be run, and people in every role. */
import { sql } from '../../src/database/sql.ts';
import {
  ACME_CALL,
  acme,
  BATCH,
  BUILD,
  CALL,
  type Input,
  kim,
  lee,
  otto,
  PASSWORD,
  shut,
  spare,
  web,
} from './admin-cases.ts';
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
  readonly known: ReadonlyMap<unknown, string>;
  /** The input with what was not known before. */
  fill(input: Input): Input;
  /** Runs an operation as someone with a shell does, by a name that the compiler does not know. */
  run(name: string, input: Input): Promise<Secrets>;
  /** A session of a person that exists. */
  session(email: string): Promise<string>;
}

export async function startAdminStage(options: TestGatewayOptions = {}): Promise<AdminStage> {
  const gateway = await startGateway(options);
  const known = new Map<unknown, string>();
  await gateway.admin('spaces.create', { name: 'lab', overage: true });
  await gateway.admin('spaces.create', { name: 'debtor', overage: true });
  await gateway.admin('members.add', { ...kim, role: 'member' });
  await gateway.admin('members.add', { ...lee, role: 'member' });
  await gateway.admin('operators.add', { ...otto, password: PASSWORD });
  for (const project of [web, shut]) await gateway.admin('projects.add', { ...acme, ...project });
  known.set(BUILD, (await gateway.admin('builds.start', { ...acme, project: web.id })).id);
  await gateway.admin('keys.create', { ...spare, kind: 'shared' });
  const debtor = await gateway.admin('keys.create', { space: 'debtor', name: 'debtor', kind: 'shared' });
  known.set(CALL, await callWith(gateway, debtor.key));
  known.set(ACME_CALL, await callWith(gateway, gateway.key));
  await holdBatchBack(gateway);
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
export async function callWith({ chat }: TestGateway, key: string): Promise<string> {
  const body = { model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] };
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

/** A batch whose settlement waits for an operator, and whose job is in other hands for long. */
async function holdBatchBack({ query }: TestGateway): Promise<void> {
  await query(sql`
    insert into batches (id, space_id, owner, key_id, input_file_id, endpoint, model, status, total, created_at,
      expires_at, settlement_status, settlement_reason)
    select ${BATCH}, id, 'o', 'k', 'f', 'chat', 'sim-chat', 'completed', 1, now(), now(), 'quarantined',
      'a line has no usage'
    from spaces where name = 'acme'`);
  await query(sql`
    insert into jobs (kind, subject, due_at, created_at, lease_until)
    values ('batch', ${BATCH}, now() + interval '1 day', now(), now() + interval '1 day')`);
}
