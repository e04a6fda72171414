import { expect, test } from 'vitest';
import type { CurrentKey, CurrentWorkload } from './current-state.ts';
import { planWorkloads } from './plan-workloads.ts';
import { readStateFile } from './read-state-file.ts';

const API = 'system:serviceaccount:team-a:api';

const rules: CurrentWorkload[] = [
  rule('wkl_1', 'api', API),
  rule('wkl_2', 'api', 'repo:acme/shop:*', ['ref=refs/heads/main', 'fork=false'], 'github'),
  rule('wkl_3', 'other', API, ['zone=a']),
];

function rule(id: string, key_name: string, subject: string, claims: string[] = [], issuer = 'cluster') {
  return { id, key_name, issuer, subject, claims };
}

function plan(keys: string) {
  const { content } = readStateFile('state.yaml', `spaces: { acme: { keys: { ${keys} } } }`);
  const mine = { name: 'mine', kind: 'personal' } as CurrentKey;
  const at = { space: 'acme', path: ['keys'], keys: [mine] };
  const { removed, added } = planWorkloads(content.spaces.acme?.keys ?? {}, rules, at);
  return {
    removed: removed.changes.map(({ name, steps }) => [name, ...steps.map(({ input }) => input)]),
    added: added.changes.map(({ name, fields, steps }) => [
      name,
      fields.map(({ field, after }) => [field, after]),
      ...steps.map(({ input }) => input),
    ]),
    drift: removed.drift.map(({ name }) => name),
    mistakes: removed.mistakes.map(({ path, message }) => `${path.join('.')} ${message}`),
  };
}

const nothing = { removed: [], added: [], drift: [], mistakes: [] };

test('rules that the file describes stay, in whichever order; keys that list none are left alone', () => {
  const same = `{ issuer: github, subject: "repo:acme/shop:*", claims: [fork=false, ref=refs/heads/main] }`;
  const text = `api: { workloads: [${same}, { issuer: cluster, subject: "${API}" }] }, other: {}`;
  expect(plan(text)).toEqual(nothing);
});

test('a rule that the file adds is added to its key; with other claims it is another rule, and others are reported', () => {
  const claims = ['zone=b'];
  const text = `api: { workloads: [{ issuer: cluster, subject: "${API}", claims: [zone=b] }] }`;
  const fields = [
    ['issuer', 'cluster'],
    ['claims', claims],
  ];
  expect(plan(text)).toEqual({
    ...nothing,
    added: [[`api/${API}`, fields, { space: 'acme', key: 'api', issuer: 'cluster', subject: API, claims }]],
    drift: [`api/${API}`, 'api/repo:acme/shop:*'],
  });
});

test('a rule is removed only with state: absent, and not twice; a key that is removed takes its rules along', () => {
  const absent = `{ issuer: cluster, subject: "${API}", claims: [zone=a], state: absent }`;
  const text = `other: { workloads: [${absent}] }, new: { workloads: [${absent}] }, api: { state: absent, workloads: [] }`;
  expect(plan(text)).toEqual({
    ...nothing,
    removed: [[`other/${API}`, { space: 'acme', workload: 'wkl_3' }]],
  });
});

test('rules of personal keys, rules that are there twice and rules without a subject are mistakes', () => {
  const one = `{ issuer: cluster, subject: "${API}" }`;
  expect(plan(`mine: { workloads: [${one}] }, api: { workloads: [${one}, ${one}] }`).mistakes).toEqual([
    'keys.mine.workloads are only for shared and management keys: what a workload spends belongs to no person.',
    `keys.api.workloads have the rule for ${API} of cluster twice.`,
  ]);
  expect(() => plan('api: { workloads: [{ issuer: cluster }] }')).toThrow(
    'spaces.acme.keys.api.workloads [{"issuer":"cluster"}] is not valid: it must be a list of workloads',
  );
  expect(() => plan(`api: { workloads: [{ issuer: cluster, subject: "team-a*" }] }`)).toThrow('is not valid');
});
