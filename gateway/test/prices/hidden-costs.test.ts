/**
 * Only operators see what providers bill, the margin and the markup. Every endpoint is called as an administrator and as a
 * member of a space, by the examples of the OpenAPI document, and nothing of it may be in what they get.
 */
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type AdminEndpoint, IN_SPACE } from '../../src/contract/administration/admin-endpoint.ts';
import { adminEndpoints, type OperationName } from '../../src/contract/administration/admin-endpoints.ts';
import { docsOf } from '../../src/contract/documentation/documentation.ts';
import type { Example } from '../../src/contract/documentation/operation-docs.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { type EndpointName, endpoints } from '../../src/contract/endpoints.ts';
import { parseUnits } from '../../src/kernel/units.ts';
import { AdminClient } from '../support/admin-client.ts';
import { changeConfig } from '../support/config.ts';
import { type ExampleCaller, type ExampleReply, ExampleRunner } from '../support/example-runner.ts';
import { demoWithEveryEndpoint, ExampleStage } from '../support/example-stage.ts';
import { WORK_MS_MAX } from '../support/patience.ts';
import { runCliLines } from '../support/run-cli.ts';

/** What every call, image and second costs at every provider; tokens cost nothing. So all sums are multiples of it. */
const COST = '7.1234567';
const MARKUP = '1.2345678';
const RATE = '3.7654321';

function withSecrets(config: string): string {
  const { models } = parse(config) as {
    models: Record<string, { routes: Array<{ provider: string; model: string }> }>;
  };
  const entry = {
    ...{ input: '0', output: '0', request: COST, per_image: COST },
    when: [{ batch: true, factor: '1' }],
  };
  const routes = Object.values(models).flatMap((model) => model.routes);
  const bills = routes.map(({ provider, model }) => {
    const isVideo = /video/.test(`${provider}/${model}`);
    return [`${provider}/${model}`, isVideo ? { per_second: COST } : entry];
  });
  return changeConfig(config, {
    prices: { version: 'shown', units_per_currency: RATE, markup: [{ factor: MARKUP }] },
    provider_prices: { version: 'secret-bill', currency: 'CNY', models: Object.fromEntries(bills) },
  });
}

const names =
  /provider[ _-]?(?:cost|price|bill|currenc|charge)|\bmargin|markup|mark-up|units_per_currency|secret-bill|\bCNY\b/i;

/** Prices with the markup: a price of 1 is the factor itself. */
const priceLists: readonly EndpointName[] = ['listModels', 'getModel', 'models.list'];
/** It describes the reports of operators to everyone. */
const documents: readonly EndpointName[] = ['getOpenapi'];

/** What of it is in a text; null if nothing is. */
function leakIn(text: string, name?: EndpointName): string | null {
  const named = names.exec(text);
  if (named !== null) return text.slice(Math.max(0, named.index - 60), named.index + 60);
  const cost = parseUnits(COST);
  const factors = name !== undefined && priceLists.includes(name) ? [RATE] : [RATE, MARKUP];
  for (const [amount] of text.matchAll(/(?<![\d.])\d{1,12}\.\d{1,12}(?![\d.])/g)) {
    const units = parseUnits(amount);
    if ((units > 0n && units % cost === 0n) || factors.includes(amount)) return amount;
  }
  return null;
}

const table = Object.entries<Endpoint>(endpoints) as Array<[EndpointName, Endpoint]>;
const isForKeys = ([, { credential }]: (typeof table)[number]): boolean =>
  credential === 'gateway' || credential === 'messages';
const lists = Object.entries<AdminEndpoint>(adminEndpoints).filter(([, { csv }]) => csv);
const sent = (name: EndpointName): Example[] =>
  (docsOf(name)?.docs.examples ?? []).filter(({ notSent }) => notSent === undefined);

interface Seen {
  readonly who: 'an administrator' | 'a member';
  readonly name: EndpointName;
  readonly reply: ExampleReply;
}

describe('what providers bill, the margin and the markup', () => {
  let stage: ExampleStage;
  let admin: ExampleCaller;
  const seen: Seen[] = [];

  beforeAll(async () => {
    stage = await ExampleStage.start({ config: withSecrets(demoWithEveryEndpoint) });
    const { session } = await stage.person('admin');
    const member = await stage.person('member');
    const see =
      (who: Seen['who']) =>
      (name: EndpointName, reply: ExampleReply): void =>
        void seen.push({ who, name, reply });
    admin = { session };
    const runner = new ExampleRunner(stage, { caller: admin, seen: see('an administrator') });
    for (const [name] of table) for (const example of sent(name)) await runner.run(name, example);
    for (const [name] of table.filter((one) => !isForKeys(one)))
      for (const example of sent(name)) see('a member')(name, await runner.runAs(member, name, example));
    for (const [name, { path }] of lists as Array<[OperationName, AdminEndpoint]>) {
      const [example] = sent(name);
      const own = path.startsWith(IN_SPACE) ? { path: { ...example?.path, space: 'demo' } } : {};
      const request = { ...example, ...own, query: { ...example?.query, format: 'csv' } };
      see('an administrator')(name, await runner.runAs(admin, name, request));
      see('a member')(name, await runner.runAs(member, name, request));
    }
    await askForOwn(member, see('a member'));
  }, WORK_MS_MAX);

  /** What the member does with a key, and what becomes of it. */
  async function askForOwn(
    member: Required<ExampleCaller>,
    see: (name: EndpointName, reply: ExampleReply) => void,
  ): Promise<void> {
    const own = new ExampleRunner(stage, { caller: member, seen: see });
    for (const [name] of table.filter(isForKeys))
      for (const example of sent(name)) await own.run(name, example);
    const call = seen.findLast(({ who, name }) => who === 'a member' && name === 'createChatCompletion');
    const request = call?.reply.headers.get('x-request-id') as string;
    see('getReceipt', await own.runAs(member, 'getReceipt', { path: { request_id: request } }));
    const client = new AdminClient(stage, member.session);
    const [batch, job] = (['createBatch', 'createVideo'] as const).map((name) => {
      const made = seen.findLast(
        (one) => one.who === 'a member' && one.name === name && one.reply.status < 300,
      );
      return (JSON.parse(made?.reply.text ?? '{}') as { id: string }).id;
    });
    const space = 'demo';
    for (const [name, input] of [
      ['why', { ref: request }],
      ['requests.get', { space, request }],
      ['batches.get', { space, batch }],
      ['jobs.get', { space, job }],
    ] as const) {
      const { status, headers, body } = await client.call(name, input);
      see(name, { status, headers, type: '', text: JSON.stringify(body) });
    }
  }
  afterAll(() => stage.stop());

  test('are known to operators, of calls, batches and videos', async () => {
    const period = { from: '2020-01-01T00:00:00Z', until: '2120-01-01T00:00:00Z', limit: 1_000 };
    const chats = { ...period, provider: 'simulator', model: 'sim-chat' };
    const videos = { ...period, provider: 'simulator', model: 'sim-video' };
    const work = [
      ...(await stage.admin('reports.providerWork', chats)).data,
      ...(await stage.admin('reports.providerWork', videos)).data,
    ];
    expect(new Set(work.map(({ kind }) => kind))).toEqual(new Set(['call', 'batch', 'video']));
    for (const { id, cost } of work) expect(leakIn(`${cost}`), id).toBe(cost);
    const margin = JSON.stringify(await stage.admin('reports.margin', { by: 'space' }));
    expect(leakIn(margin)).not.toBeNull();
  });

  test('are in no answer, header, CSV, export or stream for an administrator or a member', () => {
    const leaks = seen
      .filter(({ name }) => !documents.includes(name))
      .map(({ who, name, reply: { status, headers, text } }) => {
        const all = [...[...headers].map((header) => header.join(': ')), text].join('\n');
        return { who, name, status, leak: leakIn(all, name) };
      });
    expect(leaks.filter(({ leak }) => leak !== null)).toEqual([]);
    const answered = (name: EndpointName, who: Seen['who'] = 'an administrator'): boolean =>
      seen.some((one) => one.name === name && one.who === who && one.reply.status < 400);
    const isForOperators = (name: EndpointName): boolean =>
      (adminEndpoints as Partial<Record<EndpointName, AdminEndpoint>>)[name]?.right === 'operator';
    // Everything that an administrator may see was seen, and nothing else.
    expect(table.map(([name]) => name).filter((name) => answered(name) === isForOperators(name))).toEqual([
      // They need a running response, an identity provider, an installation without operators, a password, a space of
      // one's own, and an id or a subject from an operator.
      ...['cancelResponse', 'startIssuerSignIn', 'finishIssuerSignIn', 'createFirstOperator', 'signIn'],
      ...['spaces.keepResponses', 'workloads.add', 'workloads.remove', 'projects.add'],
    ]);
    const own = ['getReceipt', 'why', 'requests.get', 'batches.get', 'jobs.get', 'getFileContent'] as const;
    expect(own.filter((name) => !answered(name, 'a member'))).toEqual([]);
  });

  test('are in nothing that the command line prints for an administrator', async () => {
    const { data: calls } = await stage.admin('requests.list', { space: 'demo', limit: 1 });
    const { data: batches } = await stage.admin('batches.list', { space: 'demo', limit: 1 });
    const { data: jobs } = await stage.admin('jobs.list', { space: 'demo', limit: 1 });
    const [call, batch, job] = [calls[0]?.id, batches[0]?.id, jobs[0]?.id];
    const shown = [
      ...['spaces list -o wide', 'spaces get demo', 'spaces overview demo', 'spaces models demo --json'],
      ...['members list -o wide', 'keys list -o wide', 'keys usage --csv', 'grants list -o wide'],
      ...['usage --json', 'balance', 'statement', 'reports focus --all --csv', 'ledger list -o wide'],
      ...['requests list -o wide', 'requests list --csv', `requests get ${call}`, `why ${call}`],
      ...['batches list -o wide', `batches get ${batch}`, 'inspect jobs -o wide', `inspect job ${job}`],
      ...['invoices list', 'audit list --space demo --json', 'installation version'],
    ];
    const denied = ['reports margin', 'prices missing', 'installation config', 'ledger verify'];
    const ran = await runCliLines([...shown, ...denied], {
      cwd: tmpdir(),
      env: { TOLLGATE_URL: stage.url, TOLLGATE_TOKEN: admin.session, TOLLGATE_SPACE: 'demo' },
    });
    const outputs = ran.stdout.split(/^\$ /m).slice(1);
    expect(outputs.map((output) => output.slice(0, output.indexOf('\n')))).toEqual([...shown, ...denied]);
    for (const [i, line] of shown.entries()) {
      const printed = (outputs[i] as string).slice(line.length).trim();
      expect(printed, `${line}: ${ran.stderr}`).not.toBe('');
      expect([line, leakIn(printed, line.startsWith('spaces models') ? 'models.list' : undefined)]).toEqual([
        line,
        null,
      ]);
    }
    for (const [i, line] of denied.entries()) expect((outputs[shown.length + i] as string).trim()).toBe(line);
    expect(leakIn(ran.stderr)).toBeNull();
    expect(ran.stderr.match(/Only an operator of the installation may do this/g)).toHaveLength(denied.length);
  });
});
