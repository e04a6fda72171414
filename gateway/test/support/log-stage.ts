/** A gateway with people, projects and pods whose logs can be read. */
import { join } from 'node:path';
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
  pod(names: PodNames): PodFiles;
  get(path: string, session?: string | null): Promise<Response>;
  open(query?: string, project?: string): Promise<LogReader>;
  stop(): Promise<void>;
}

export async function startLogStage(engine?: Engine): Promise<LogStage> {
  const gateway = await startGateway(engine === undefined ? {} : { engine });
  await gateway.admin('spaces.create', { name: 'other', overage: true });
  const sessions = await Promise.all([
    makePerson(gateway, 'acme', 'ann@example.com', 'shop'),
    makePerson(gateway, 'other', 'olaf@example.com', 'other-shop'),
  ]);
  const [session, otherSession] = sessions as [string, string];
  const readers: LogReader[] = [];
  const bearer = (token: string | null): Record<string, string> =>
    token === null ? {} : { authorization: `Bearer ${token}` };
  return {
    gateway,
    session,
    otherSession,
    pod: (names) => new PodFiles(join(gateway.folder, 'logs'), names),
    get: (path, token = session) => fetch(`${gateway.url}${path}`, { headers: bearer(token) }),
    async open(query = '', project = 'shop') {
      const reader = await LogReader.open(
        `${gateway.url}/api/projects/${project}/logs${query}`,
        bearer(session),
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

async function makePerson(
  gateway: TestGateway,
  space: string,
  email: string,
  project: string,
): Promise<string> {
  const password = 'a long enough password';
  await gateway.admin('members.add', { space, email, nickname: email, role: 'member' });
  await gateway.admin('people.password', { email, password });
  await gateway.admin('projects.add', { space, id: project });
  const reply = await fetch(`${gateway.url}/api/console/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password, keep: 'token' }),
  });
  const { token } = (await reply.json()) as { token: string };
  return token;
}
