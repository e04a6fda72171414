/** The demo, and what its examples refer to: sessions, builds, a batch and a video that keep running. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { type RunningServer, serve } from '../../src/app/serve.ts';
import type { BatchObject } from '../../src/contract/batches.ts';
import type { EndpointName } from '../../src/contract/endpoints.ts';
import type { JobObject } from '../../src/contract/video.ts';
import { type DemoKeys, ensureDemoPerson, ensureDemoSpace } from '../../src/demo/demo.ts';
import { ensureDemoBuilds } from '../../src/demo/demo-logs.ts';
import { DAY_MS } from '../../src/kernel/durations.ts';
import { pause, systemClock } from '../../src/kernel/time.ts';
import { chatLine } from './batches-stage.ts';
import { changeConfig } from './config.ts';
import { type Engine, makePlace, quickEngine } from './engines.ts';
import { type Administer, administerAt } from './gateway.ts';

/** The demo, and every endpoint that only some installations have. */
export const demoWithEveryEndpoint = changeConfig(
  readFileSync(new URL('../../demo/tollgate.yaml', import.meta.url), 'utf8'),
  { api: { file_lists: true } },
);

const EMAIL = 'demo@example.com';
const MEMBER = 'member@example.com';
const SPACE = 'demo';
const SPACE_WITH_OVERAGE = 'globex';
const LOOK_MS = 20;
const quiet = { say: () => undefined };

interface ExampleStageOptions {
  readonly config?: string;
  readonly engine?: Engine;
}

export class ExampleStage {
  readonly url: string;
  readonly #server: RunningServer;
  readonly #simulator: Simulator;
  /** Runs operations as an operator does. */
  readonly admin: Administer;
  readonly #remove: () => Promise<void>;
  readonly #keys: DemoKeys | null;
  readonly #given = new Map<string, Promise<string>>();
  #session: Promise<string> | null = null;
  #guests = 0;

  /** `config`: another configuration, for a server with the space, the person and the builds of the demo. */
  static async start({ config, engine = quickEngine }: ExampleStageOptions = {}): Promise<ExampleStage> {
    const place = await makePlace(engine);
    const simulator = await startSimulator({ apiKey: 'demo-simulator-key', videoMs: LOOK_MS });
    const quietEnv = { PORT: '0', OPS_PORT: '0', LOG_LEVEL: 'silent', TOLLGATE_DEMO_DATA: 'none' };
    const database = place.databaseUrl === null ? {} : { DATABASE_URL: place.databaseUrl };
    const env = { ...quietEnv, ...database, TOLLGATE_SIMULATOR_URL: simulator.origin };
    const parts = { simulator, admin: administerAt(place.folder), remove: place.remove };
    if (config === undefined) {
      const server = await serve({ data: place.folder }, env, quiet);
      return new ExampleStage({ ...parts, server, keys: server.demoKeys });
    }
    const file = join(place.folder, 'tollgate.yaml');
    writeFileSync(file, config);
    const server = await serve({ data: place.folder, config: file }, env, quiet);
    const keys = await ensureDemoSpace(server.db, systemClock, { pastFrom: null });
    await ensureDemoPerson(server.db, systemClock);
    (await ensureDemoBuilds(server.db, systemClock, place.folder)).stop();
    return new ExampleStage({ ...parts, server, keys });
  }

  private constructor(parts: {
    server: RunningServer;
    simulator: Simulator;
    admin: Administer;
    remove: () => Promise<void>;
    keys: DemoKeys | null;
  }) {
    this.#server = parts.server;
    this.#simulator = parts.simulator;
    this.admin = parts.admin;
    this.#remove = parts.remove;
    this.#keys = parts.keys;
    this.url = parts.server.status().baseUrl.replace('localhost', '127.0.0.1');
  }

  get gatewayKey(): string {
    return this.#keys?.gateway ?? '';
  }

  get managementKey(): string {
    return this.#keys?.management ?? '';
  }

  /** The session of the examples; the one that ends its session gets its own. */
  async session(name: EndpointName): Promise<string> {
    if (name === 'signOut') return await this.#newSession();
    this.#session ??= this.#newSession();
    return await this.#session;
  }

  /** Somebody in the demo space who is no operator, with a key of their own. */
  async person(role: 'member' | 'admin'): Promise<{ session: string; gatewayKey: string }> {
    const email = `${role}@demo.test`;
    await this.admin('members.add', { space: SPACE, email, role });
    const named = { space: SPACE, name: `key of the ${role}`, kind: 'personal' as const, email };
    const { key } = await this.admin('keys.create', named);
    return { session: await this.#newSession(email), gatewayKey: key };
  }

  /** What an `ExampleGiven` of this name stands for. A code works once; everything else stays the same. */
  async given(name: string): Promise<string> {
    if (name === 'sign-in code') return await this.#signInCode();
    if (name === 'invitation code') return await this.#invitationCode();
    const find = this.#givens[name];
    if (find === undefined) throw new Error(`the examples ask for "${name}", which ${import.meta.url} lacks`);
    const value = this.#given.get(name) ?? find();
    this.#given.set(name, value);
    return await value;
  }

  async stop(): Promise<void> {
    // The batch and the video would run for minutes.
    await this.#simulator.stop();
    await this.#server.stop();
    await this.#remove();
  }

  readonly #givens: Readonly<Record<string, () => Promise<string>>> = {
    'session cookie': async () => `tollgate_session=${await this.session('getSession')}`,
    'request id': () => this.#chargedRequest(),
    'other request id': () => this.#chargedRequest(),
    'failed request id': () => this.#failedRequest(),
    'invitation code of a person': async () =>
      await this.#invitationCode(EMAIL, await this.given('space with overage')),
    'session of a member': () => this.#memberSession(),
    'authorization of a member': async () => `Bearer ${await this.given('session of a member')}`,
    'token that can only read': () => this.#token('read'),
    'token that can change things': () => this.#token('write'),
    'another project': () => this.#anotherProject(),
    'space with overage': () => this.#spaceWithOverage(),
    'budget with values': () => this.#budgetWithValues(),
    'quarantined batch': () => this.#quarantinedBatch(),
    'unused file': () => this.#upload('A line that no batch runs', 'sim-chat'),
    'finished alert': () => this.#finishedAlert(SPACE),
    'finished alert of the installation': () => this.#finishedAlert(null),
    'start of today': async () => `${Math.floor(systemClock.now() / DAY_MS) * (DAY_MS / 1000)}`,
    'running batch': () => this.#runningBatch(),
    'running job': () => this.#runningJob(),
    'running build': () => this.#build('running'),
    'finished build': () => this.#build('succeeded'),
  };

  async #signInCode(email = EMAIL): Promise<string> {
    const { code } = await this.admin('people.link', { email });
    return code;
  }

  async #newSession(email = EMAIL): Promise<string> {
    const body = { code: await this.#signInCode(email), keep: 'token' };
    const reply = await this.#post('/api/console/session/link', body);
    return ((await reply.json()) as { token: string }).token;
  }

  /** Of someone who is new, unless an address is given. */
  async #invitationCode(email = `guest-${++this.#guests}@example.com`, space = SPACE): Promise<string> {
    const { code } = await this.admin('invitations.create', { space, email, role: 'member' });
    return code;
  }

  /** A member of the demo space who does not administer it. */
  async #memberSession(): Promise<string> {
    await this.admin('members.add', { space: SPACE, email: MEMBER, role: 'member' });
    return await this.#newSession(MEMBER);
  }

  async #token(access: 'read' | 'write'): Promise<string> {
    const { token } = await this.admin('tokens.create', { space: SPACE, name: `${access} token`, access });
    return token;
  }

  async #anotherProject(): Promise<string> {
    const { id } = await this.admin('projects.add', { space: SPACE, id: 'kiosk' });
    return id;
  }

  /** A budget for each end user, one of whom has called. */
  async #budgetWithValues(): Promise<string> {
    await this.#chat('sim-chat', { user: 'user-42' });
    const budget = { name: 'each-person', amount: '5', window: 'day', per: 'end_user' } as const;
    return (await this.admin('budgets.add', { space: SPACE, ...budget })).name;
  }

  async #chargedRequest(): Promise<string> {
    return await this.#chat('sim-chat');
  }

  async #failedRequest(): Promise<string> {
    return await this.#chat('sim-fault-error-500');
  }

  /** A space that has spent more than it held. */
  async #spaceWithOverage(): Promise<string> {
    const space = SPACE_WITH_OVERAGE;
    await this.admin('spaces.create', { name: space, overage: true });
    const { key } = await this.admin('keys.create', { space, name: 'test', kind: 'shared' });
    await this.#chat('sim-chat', {}, key);
    return space;
  }

  /** The id of the request. */
  async #chat(model: string, fields: { user?: string } = {}, key?: string): Promise<string> {
    const messages = [{ role: 'user', content: 'Reply with exactly: It works' }];
    const reply = await this.#post('/v1/chat/completions', { model, messages, ...fields }, key);
    await reply.text();
    return reply.headers.get('x-request-id') ?? '';
  }

  /** The id of a delivery that was given up, because its target was removed; another one stays as it is. */
  async #finishedAlert(space: string | null): Promise<string> {
    const target = { name: 'removed', type: 'email', address: 'nobody@example.com' } as const;
    const ofAll = {
      add: () => this.admin('operatorAlerts.add', target),
      test: (id: string) => this.admin('operatorAlerts.test', { target: id }),
      remove: (id: string) => this.admin('operatorAlerts.remove', { target: id }),
      failed: () => this.admin('operatorAlerts.deliveries', { state: 'failed' }),
    };
    const of = { space: SPACE };
    const ofSpace: typeof ofAll = {
      add: () => this.admin('alerts.add', { ...of, ...target }),
      test: (id) => this.admin('alerts.test', { ...of, target: id }),
      remove: (id) => this.admin('alerts.remove', { ...of, target: id }),
      failed: () => this.admin('alerts.deliveries', { ...of, state: 'failed' }),
    };
    const alerts = space === null ? ofAll : ofSpace;
    const { id } = await alerts.add();
    const sent = [(await alerts.test(id)).id, (await alerts.test(id)).id];
    await alerts.remove(id);
    for (;;) {
      const failed = (await alerts.failed()).data.map((one) => one.id);
      if (sent.every((one) => failed.includes(one))) return sent[0] ?? '';
      await pause(systemClock, LOOK_MS);
    }
  }

  async #runningBatch(): Promise<string> {
    const id = await this.#submit('[[fault slow-first-byte]] [[delay 600000]] Hello', 'sim-chat');
    return await this.#untilBatch(id, ({ status }) => status === 'in_progress');
  }

  /** A provider that reports no usage leaves the cost unknown. */
  async #quarantinedBatch(): Promise<string> {
    const id = await this.#submit('[[fault missing-usage]] Hello', 'sim-chat-classic');
    return await this.#untilBatch(id, ({ settlement_status: state }) => state === 'quarantined');
  }

  /** The id of the file. */
  async #upload(content: string, model: string): Promise<string> {
    const form = new FormData();
    form.set('purpose', 'batch');
    const lines = ['a', 'b'].map((id) => chatLine(id, content, { model }));
    form.set('file', new Blob([lines.join('\n')]), 'lines.jsonl');
    const headers = { authorization: `Bearer ${this.gatewayKey}` };
    const upload = await fetch(`${this.url}/v1/files`, { method: 'POST', headers, body: form });
    return ((await upload.json()) as { id: string }).id;
  }

  async #submit(content: string, model: string): Promise<string> {
    const file = await this.#upload(content, model);
    const request = { input_file_id: file, endpoint: '/v1/chat/completions', completion_window: '24h' };
    const batch = (await (await this.#post('/v1/batches', request)).json()) as BatchObject;
    return batch.id;
  }

  async #runningJob(): Promise<string> {
    const request = { model: 'sim-video-http', prompt: '[[video hold-create]] A red kite over the sea' };
    const job = (await (await this.#post('/v1/video/generations', request)).json()) as JobObject;
    return job.id;
  }

  /** The id of the batch, as soon as `is` is true for it. */
  async #untilBatch(id: string, is: (batch: BatchObject) => boolean): Promise<string> {
    const headers = { authorization: `Bearer ${this.gatewayKey}` };
    for (;;) {
      const reply = await fetch(`${this.url}/v1/batches/${id}`, { headers });
      if (is((await reply.json()) as BatchObject)) return id;
      await pause(systemClock, LOOK_MS);
    }
  }

  async #build(status: string): Promise<string> {
    const builds = await this.admin('builds.list', { space: SPACE, project: 'demo' });
    return builds.data.find((build) => build.status === status)?.id ?? '';
  }

  #post(path: string, body: unknown, key = this.gatewayKey): Promise<Response> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    return fetch(`${this.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  }
}
