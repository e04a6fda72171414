/** A gateway with people, projects and pods whose logs can be read. */
import { join } from 'node:path';
import type { Clock } from '../../src/kernel/time.ts';
import type { Engine } from './engines.ts';
import { startGateway, type TestGateway } from './gateway.ts';
import { LogReader } from './log-client.ts';
import { PodFiles, type PodNames } from './pod-files.ts';

export interface LogStage {
  readonly gateway: TestGateway;
  /** Of a member of the space `acme`, whose project is `shop`. */
  readonly session: string;
  /** Of a member of the space `other`, whose project is `other-shop`. */
  readonly otherSession: string;
  /** A session of one more member of the space `acme`. */
  person(email: string): Promise<string>;
  /** A session of an operator. */
  operator(email: string): Promise<string>;
  pod(names: PodNames): PodFiles;
  get(path: string, session?: string | null): Promise<Response>;
  open(query?: string, project?: string, session?: string): Promise<LogReader>;
  stop(): Promise<void>;
}

export const PASSWORD = 'a long enough password';

export async function startLogStage(engine?: Engine, clock?: Clock): Promise<LogStage> {
  const gateway = await startGateway({ ...(engine && { engine }), ...(clock && { clock }) });
  await gateway.admin('spaces.create', { name: 'other', overage: true });
  await gateway.admin('projects.add', { space: 'acme', id: 'shop' });
  await gateway.admin('projects.add', { space: 'other', id: 'other-shop' });
  const sessions = await Promise.all([
    makePerson(gateway, 'acme', 'ann@example.com'),
    makePerson(gateway, 'other', 'olaf@example.com'),
  ]);
  const [session, otherSession] = sessions as [string, string];
  const readers: LogReader[] = [];
  const bearer = (token: string | null): Record<string, string> =>
    token === null ? {} : { authorization: `Bearer ${token}` };
  return {
    gateway,
    session,
    otherSession,
    person: (email) => makePerson(gateway, 'acme', email),
    operator: (email) => makeOperator(gateway, email),
    pod: (names) => new PodFiles(join(gateway.folder, 'logs'), names),
    get: (path, token = session) => fetch(`${gateway.url}${path}`, { headers: bearer(token) }),
    async open(query = '', project = 'shop', token = session) {
      const reader = await LogReader.open(
        `${gateway.url}/api/projects/${project}/logs${query}`,
        bearer(token),
      );
      readers.push(reader);
      return reader;
    },
    async stop() {
      for (const reader of readers) reader.close();
      await gateway.stop();
    },
  };
}

async function makePerson(gateway: TestGateway, space: string, email: string): Promise<string> {
  await gateway.admin('members.add', { space, email, nickname: email, role: 'member' });
  await gateway.admin('people.password', { email, password: PASSWORD });
  return await signIn(gateway, email);
}

async function makeOperator(gateway: TestGateway, email: string): Promise<string> {
  await gateway.admin('operators.add', { email, password: PASSWORD });
  return await signIn(gateway, email);
}

async function signIn(gateway: TestGateway, email: string): Promise<string> {
  const reply = await fetch(`${gateway.url}/api/console/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD, keep: 'token' }),
  });
  const { token } = (await reply.json()) as { token: string };
  return token;
}
