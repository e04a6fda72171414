/** Every rule that is declared can be set in every way, is shown, audited and documented. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { commandName } from '../../src/cli/admin/admin-command.ts';
import type { Administration } from '../../src/cli/admin/administration.ts';
import { applyChanges } from '../../src/cli/admin/plan/apply-changes.ts';
import { readCurrentState } from '../../src/cli/admin/plan/current-state.ts';
import { exampleFile } from '../../src/cli/admin/plan/example-file.ts';
import { planChanges } from '../../src/cli/admin/plan/plan-changes.ts';
import { readStateFile } from '../../src/cli/admin/plan/read-state-file.ts';
import type { OperationName } from '../../src/contract/administration/admin-endpoints.ts';
import {
  groups,
  initialOf,
  inputName,
  type NamedRule,
  planName,
  rulesOf,
  rulesOn,
  settingOf,
  settingsOn,
} from '../../src/contract/administration/rules/find-rules.ts';
import type { Holder, RuleKind } from '../../src/contract/administration/rules/rule.ts';
import { systemClock } from '../../src/kernel/time.ts';
import type { Input } from '../support/admin-cases.ts';
import { AdminClient } from '../support/admin-client.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { runCliLines } from '../support/run-cli.ts';

const END = '2999-12-31T23:59:59+09:00';
const holders: readonly Holder[] = ['key', 'member', 'space'];
const ways = ['http', 'cli', 'plan'] as const;
type Way = (typeof ways)[number];

/** What a rule is set to, and as it is typed. */
function sampleOf(rule: NamedRule): { value: unknown; typed: string } {
  const turned = initialOf(rule) !== true;
  const values: { [Kind in RuleKind]: [value: unknown, typed: string] } = {
    amount: ['12.5', '12.5'],
    count: [60, '60'],
    models: [['sim-chat'], 'sim-chat'],
    date: [END, END],
    tags: ['team=search,feature=chat', 'team=search,feature=chat'],
    switch: [turned, turned ? 'on' : 'off'],
  };
  const [value, typed] = values[rule.kind];
  return { value, typed };
}

/** One for each way, because a rule that is set already is not set by a plan. */
function nameOf(holder: Holder, way: Way): string {
  if (holder === 'space') return `ruled-${way}`;
  return holder === 'key' ? `ruled ${way}`.replace(' ', '-') : `${way}@example.com`;
}

function named(holder: Holder, way: Way): Input {
  const name = nameOf(holder, way);
  if (holder === 'space') return { space: name };
  return holder === 'key' ? { space: 'acme', name } : { space: 'acme', email: name };
}

describe.each(engines)('the rules on %s', (engine) => {
  let gateway: TestGateway;
  let operator: AdminClient;
  beforeAll(async () => {
    gateway = await startGateway({ engine });
    const { token } = await gateway.admin('operatorTokens.create', { name: 'test', access: 'write' });
    operator = new AdminClient(gateway, token);
    for (const way of ways) {
      await gateway.admin('spaces.create', { name: nameOf('space', way) });
      await gateway.admin('members.add', { space: 'acme', email: nameOf('member', way), role: 'member' });
      await gateway.admin('keys.create', { space: 'acme', name: nameOf('key', way), kind: 'shared' });
    }
  });
  afterAll(() => gateway.stop());

  /** As the list has it; a key and a space also as `get` has it. */
  async function shown(holder: Holder, way: Way): Promise<Input[]> {
    const { space, ...rest } = named(holder, way);
    const name = rest.name ?? rest.email ?? space;
    const input = holder === 'space' ? { search: space } : { space, search: name };
    const list = await operator.call(`${groups[holder]}.list` as OperationName, input);
    const rows = list.body.data.filter((row: Input) => (row.email ?? row.name) === name);
    if (holder === 'member') return rows;
    return [
      ...rows,
      (await operator.call(`${groups[holder]}.get` as OperationName, named(holder, way))).body,
    ];
  }

  async function expectSet(holder: Holder, way: Way): Promise<void> {
    const wanted = Object.fromEntries(rulesOn(holder).map((rule) => [rule.name, sampleOf(rule).value]));
    const rows = await shown(holder, way);
    expect(rows.length).toBe(holder === 'member' ? 1 : 2);
    for (const row of rows) expect(row).toMatchObject(wanted);
  }

  test.each(holders)(
    'of a %s are set over HTTP, and audited with what they were and became',
    async (holder) => {
      for (const setting of settingsOn(holder)) {
        const rules = rulesOf(setting);
        const operation = `${groups[holder]}.${setting}` as OperationName;
        const [before] = await shown(holder, 'http');
        const input =
          settingOf(setting).off === undefined
            ? Object.fromEntries(rules.map((rule) => [inputName(rule), sampleOf(rule).value]))
            : {};
        const { status, body } = await operator.call(operation, { ...named(holder, 'http'), ...input });
        expect([status, body.detail]).toEqual([200, undefined]);
        const { data } = await gateway.admin('audit.all', { action: operation, limit: 1 });
        for (const rule of rules) {
          const { value } = sampleOf(rule);
          expect(body[rule.name]).toEqual(value);
          expect(data[0]?.before?.[rule.name]).toEqual(before?.[rule.name]);
          expect(data[0]?.after?.[rule.name]).toEqual(value);
        }
      }
      await expectSet(holder, 'http');
    },
  );

  test('are set by commands', async () => {
    const lines = holders.flatMap((holder) =>
      settingsOn(holder).map((setting) => {
        const rules = settingOf(setting).off === undefined ? rulesOf(setting) : [];
        const typed = rules.map((rule) =>
          rule.option === undefined ? sampleOf(rule).typed : `--${rule.option} ${sampleOf(rule).typed}`,
        );
        const of = holder === 'space' ? '' : ' --space acme';
        return `${groups[holder]} ${commandName(setting)} ${[nameOf(holder, 'cli'), ...typed].join(' ')}${of}`;
      }),
    );
    const env = { TOLLGATE_DATA: gateway.folder, TOLLGATE_CONFIG: gateway.configFile };
    const { stderr } = await runCliLines(lines, { env });
    expect(stderr).toBe('');
    for (const holder of holders) await expectSet(holder, 'cli');
  });

  test('are set by a plan, which then has nothing to change', async () => {
    const entryOf = (holder: Holder) =>
      Object.fromEntries(rulesOn(holder).map((rule) => [planName(rule), sampleOf(rule).value]));
    const text = stringify({
      spaces: {
        [nameOf('space', 'plan')]: entryOf('space'),
        acme: {
          members: { [nameOf('member', 'plan')]: entryOf('member') },
          keys: { [nameOf('key', 'plan')]: entryOf('key') },
        },
      },
    });
    const { content } = readStateFile('state.yaml', text);
    const administration: Administration = {
      server: null,
      run: (name, input) => gateway.admin(name as 'status', input as never) as never,
      close: () => Promise.resolve(),
    };
    const plan = async () =>
      planChanges(content, await readCurrentState(administration, content), systemClock.now());
    const { changes, mistakes } = await plan();
    expect(mistakes).toEqual([]);
    const nothing = () => undefined;
    const events = { onDone: nothing, onSecret: nothing, onLost: nothing };
    expect((await applyChanges(administration, changes, events)).failed).toBeNull();
    for (const holder of holders) await expectSet(holder, 'plan');
    expect((await plan()).changes).toEqual([]);
  });
});

test('every rule is in the documentation and in the example of a plan', () => {
  const read = (path: string) => readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8');
  const [administration, commands] = [read('administration.md'), read('command-line.md')];
  for (const holder of holders)
    for (const rule of rulesOn(holder)) {
      expect(administration).toContain(`| \`${rule.name}\` | `);
      expect(administration).toContain(`| \`${groups[holder]}.${rule.setting}\` | `);
      expect(commands).toContain(`| \`${groups[holder]} ${commandName(rule.setting)} `);
    }
  for (const rule of rulesOn('space')) expect(exampleFile).toContain(`${planName(rule)}: `);
});
