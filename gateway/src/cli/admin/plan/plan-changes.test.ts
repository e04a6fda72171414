import { describe, expect, test } from 'vitest';
import type { CurrentBudget, CurrentKey, CurrentSpace, CurrentState } from './current-state.ts';
import { exampleFile } from './example-file.ts';
import { planChanges } from './plan-changes.ts';
import { readStateFile } from './read-state-file.ts';
import type { StateFile } from './state-file.ts';

const NOW = Date.parse('2026-11-16T00:00:00+09:00');

const space: CurrentSpace = {
  settings: {
    overage_allowed: false,
    keeps_responses: true,
    unpriced_allowed: false,
    hard_limits: false,
    blocked: false,
    requests_per_minute: null,
    tokens_per_minute: null,
  },
  members: [
    {
      ...{ email: 'Kim@example.com', nickname: 'Kim', role: 'member', month_limit: '5' },
      ...{ requests_per_minute: 10, tokens_per_minute: null, models: ['sim-chat'], tags: null },
      expires_at: '2026-12-31T23:59:59+09:00',
    },
  ],
  keys: [key('ci'), key('kims', { kind: 'personal', owner: 'Kim@example.com' })],
  workloads: null,
  grants: [
    { id: 'grt_1', kind: 'paid', amount: '10', expires_at: null, note: 'first [ref: q3]' },
    { id: 'grt_2', kind: 'paid', amount: '1', expires_at: null, note: 'by hand' },
  ],
  aliases: [
    { name: 'fast', model: 'sim-chat' },
    { name: 'best', model: 'sim-vision' },
  ],
  budgets: [
    budget('search', { tags: 'team=search,env=prod', amount: '500' }),
    budget('each-user', { per: 'end_user', window: 'day', hard: true }),
    budget('kims', { member: 'Kim@example.com' }),
  ],
  projectIds: [
    { ids: 'api', state: 'used' },
    { ids: 'old', state: 'removed' },
    { ids: 'shop', state: 'used' },
    { ids: 'web-*', state: 'given' },
  ],
  projects: [
    { id: 'shop', name: 'Shop' },
    { id: 'api', name: 'API' },
  ],
};

function key(name: string, more: Partial<CurrentKey> = {}): CurrentKey {
  const none = { month_limit: null, requests_per_minute: null, tokens_per_minute: null };
  const expires_at = '2026-12-31T23:59:59+09:00';
  return {
    name,
    kind: 'shared',
    owner: null,
    state: 'active',
    disabled: false,
    expires_at,
    models: null,
    tags: null,
    ...none,
    ...more,
  };
}

function budget(name: string, more: Partial<CurrentBudget> = {}): CurrentBudget {
  const all = { key: null, member: null, model: null, end_user: null, session: null, tags: null, per: null };
  return { name, ...all, window: 'month', amount: '5', hard: false, ...more };
}

const there: CurrentState = new Map([['acme', space]]);

function plan(text: string, current: CurrentState = there) {
  return planChanges(readStateFile('state.yaml', text).content, current, NOW);
}

/** What the plan says of one thing, and the operations that it runs. */
function shortly(text: string, current: CurrentState = there) {
  return plan(text, current).changes.map(({ action, subject, name, fields, steps }) => ({
    change: `${action} ${subject} ${name}`,
    fields: fields.map(({ field, before, after }) => [field, before, after]),
    steps: steps.map(({ operation }) => operation),
  }));
}

function mistakes(text: string) {
  return plan(text).mistakes.map(({ path, message }) => `${path.join('.')} ${message}`);
}

test('a file that describes what there is changes nothing; what it leaves out stays as it is', () => {
  const text = `
spaces:
  acme:
    overage: false
    members: { kim@example.com: { role: member, month_limit: 5.0 } }
    keys: { ci: { kind: shared, days: 7, expires: 2026-12-31 }, kims: { owner: kim@example.com } }
    grants: { q3: { amount: 10.000, note: first } }
    aliases: { fast: { model: sim-chat }, best: { model: sim-vision } }
    projects: { shop: {}, api: { name: API } }
`;
  expect(plan(text)).toEqual({
    changes: [],
    mistakes: [],
    drift: [{ subject: 'grant', space: 'acme', name: 'grt_2', why: 'not in the file' }],
  });
});

test('what differs is listed field by field, each with its operation', () => {
  const text = `
spaces:
  acme:
    overage: on
    keep_responses: off
    unpriced: on
    hard_limits: on
    requests_per_minute: 60
    members: { KIM@example.com: { role: admin, nickname: Kim Min-su, month_limit: none } }
    keys:
      ci: { month_limit: 2.50, tokens_per_minute: 5, models: [b, a], disabled: true, expires: 2027-01-31 }
    aliases: { fast: { model: sim-vision }, best: { state: absent }, cheap: { model: sim-chat } }
    projects: { shop: { name: The shop } }
`;
  expect(shortly(text)).toEqual([
    {
      change: 'update space acme',
      fields: [
        ['overage', false, true],
        ['keep_responses', true, false],
        ['unpriced', false, true],
        ['hard_limits', false, true],
        ['requests_per_minute', null, 60],
      ],
      steps: [
        ...['spaces.overage', 'spaces.keepResponses', 'spaces.unpriced', 'spaces.hard_limits', 'spaces.rate'],
      ],
    },
    {
      change: 'update member KIM@example.com',
      fields: [
        ['role', 'member', 'admin'],
        ['nickname', 'Kim', 'Kim Min-su'],
        ['month_limit', '5', null],
      ],
      steps: ['members.role', 'members.nickname', 'members.limit'],
    },
    {
      change: 'update key ci',
      fields: [
        ['month_limit', null, '2.5'],
        ['tokens_per_minute', null, 5],
        ['models', null, ['b', 'a']],
        ['disabled', false, true],
        ['expires', '2026-12-31T23:59:59+09:00', '2027-01-31T23:59:59+09:00'],
      ],
      steps: ['keys.limit', 'keys.rate', 'keys.models', 'keys.disable', 'keys.expire'],
    },
    { change: 'update alias fast', fields: [['model', 'sim-chat', 'sim-vision']], steps: ['aliases.set'] },
    { change: 'remove alias best', fields: [], steps: ['aliases.remove'] },
    { change: 'create alias cheap', fields: [['model', undefined, 'sim-chat']], steps: ['aliases.set'] },
    {
      change: 'update project shop',
      fields: [['name', 'Shop', 'The shop']],
      steps: ['projects.rename'],
    },
  ]);
});

test('a new space comes first, then members, then their keys; removed members come last', () => {
  const text = `
spaces:
  acme:
    members: { kim@example.com: { state: absent }, lee@example.com: { month_limit: 1 } }
    keys: { lees: { owner: lee@example.com }, kims: { state: absent }, gone: { state: absent } }
  lab: { members: { lee@example.com: {} }, blocked: true }
`;
  expect(shortly(text).map(({ change, steps }) => [change, ...steps])).toEqual([
    ['create member lee@example.com', 'members.add', 'members.limit'],
    ['remove key kims', 'keys.revoke'],
    ['create key lees', 'keys.create'],
    ['remove member kim@example.com', 'members.remove'],
    ['create space lab', 'spaces.create', 'spaces.block'],
    ['create member lee@example.com', 'members.add'],
  ]);
});

test('the example creates everything that it describes, and only that', () => {
  const { changes, mistakes: wrong } = plan(exampleFile, new Map());
  expect(wrong).toEqual([]);
  expect(changes.map(({ action, subject, name }) => `${action} ${subject} ${name}`)).toEqual([
    'create space acme',
    'create member kim@example.com',
    'create member lee@example.com',
    'create key ci',
    'create key lee-laptop',
    'create key reports',
    'create grant 2026-q4',
    'create grant welcome',
    'create alias fast',
    'create budget search',
    'create budget each-user',
    'create project ids shop',
    'create project ids shop-*',
    'create project shop',
  ]);
});

test('the rules of a member are compared one by one', () => {
  const rules = (text: string) =>
    shortly(`spaces: { acme: { members: { kim@example.com: { ${text} } } } }`).map(({ fields, steps }) => ({
      fields,
      steps,
    }));
  const same = 'month_limit: 5, requests_per_minute: 10, models: [sim-chat], expires: 2026-12-31';
  expect(rules(same)).toEqual([]);
  expect(rules('tokens_per_minute: 9, requests_per_minute: none, models: all, expires: none')).toEqual([
    {
      fields: [
        ['requests_per_minute', 10, null],
        ['tokens_per_minute', null, 9],
        ['models', ['sim-chat'], null],
        ['expires', '2026-12-31T23:59:59+09:00', null],
      ],
      steps: ['members.rate', 'members.models', 'members.expire'],
    },
  ]);
  const added =
    'spaces: { acme: { members: { lee@example.com: { models: [a], expires: none, role: admin } } } }';
  expect(shortly(added).map(({ steps }) => steps)).toEqual([['members.add', 'members.models']]);
});

test('ids are given before projects are added, and released after projects are removed', () => {
  const text = `
spaces:
  acme:
    project_ids: { team-*: {}, api: {}, old: { state: absent }, shop: { state: absent }, none: { state: absent } }
    projects: { team-1: {}, shop: { state: absent }, api: {} }
`;
  expect(shortly(text).map(({ change, steps }) => [change, ...steps])).toEqual([
    ['create project ids team-*', 'projectIds.give'],
    ['remove project shop', 'projects.remove'],
    ['create project team-1', 'projects.add'],
    ['remove project ids old', 'projectIds.release'],
    ['remove project ids shop', 'projectIds.release'],
  ]);
  expect(plan(text).drift).toEqual([
    { subject: 'project ids', space: 'acme', name: 'web-*', why: 'not in the file' },
  ]);
});

test('a project gets a name only after the one that has it now has given it up', () => {
  const text = 'spaces: { acme: { projects: { api: { name: Shop }, shop: { name: Old shop } } } }';
  expect(shortly(text).map(({ change }) => change)).toEqual(['update project shop', 'update project api']);
});

test('things that exist but are not in the file are reported, in the sections that the file has', () => {
  const other: CurrentState = new Map([...there, ['lab', null]]);
  expect(
    plan('spaces: { acme: { members: {}, aliases: { fast: { model: x } }, projects: { shop: {} } } }', other)
      .drift,
  ).toEqual([
    { subject: 'member', space: 'acme', name: 'Kim@example.com', why: 'not in the file' },
    { subject: 'alias', space: 'acme', name: 'best', why: 'not in the file' },
    { subject: 'project', space: 'acme', name: 'api', why: 'not in the file' },
    { subject: 'space', space: 'lab', name: 'lab', why: 'not in the file' },
  ]);
});

describe('what cannot be changed is a mistake', () => {
  test.each([
    [
      'keys: { ci: { kind: personal, owner: kim@example.com } }',
      'keys.ci.kind cannot change: the key is shared.',
    ],
    ['keys: { kims: { owner: lee@example.com } }', 'keys.kims.owner lee@example.com is not a member.'],
    ['keys: { new: { kind: personal } }', 'keys.new.owner is required for a personal key;'],
    ['keys: { new: { kind: shared, owner: kim@example.com } }', 'keys.new.owner is only for personal keys.'],
    ['keys: { new: { expires: 2020-01-01 } }', 'keys.new.expires 2020-01-01T23:59:59+09:00 is in the past.'],
    [
      'members: { kim@example.com: { expires: 2020-01-01 } }',
      'members.kim@example.com.expires 2020-01-01T23:59:59+09:00 is in the past.',
    ],
    ['grants: { q3: { amount: 11 } }', 'grants.q3.amount cannot change: the units were already granted.'],
    ['grants: { q3: { amount: 10, kind: promo } }', 'grants.q3.kind cannot change'],
    ['grants: { q4: { amount: 1, expires: 2027-01-01 } }', 'grants.q4.expires is only for promo units;'],
    ['aliases: { fast: {} }', 'aliases.fast.model is required.'],
    ['project_ids: { api: { state: absent } }', 'project_ids.api is the id of a project. Remove it first.'],
    [
      'project_ids: { new: { state: absent } }, projects: { new: {} }',
      'project_ids.new is the id of a project. Remove it first.',
    ],
    ['projects: { new: { name: API } }', 'projects.new.name "API" is the name of the project api.'],
  ])('%s', (section, message) => {
    const [first] = mistakes(`spaces: { acme: { ${section} } }`);
    expect(first).toContain(`spaces.acme.${message}`);
  });

  test('a key whose owner was removed', () => {
    const orphan = key('kims', { kind: 'personal', owner: 'kim@example.com', state: 'disabled' });
    const state: CurrentState = new Map([['acme', { ...space, keys: [orphan] }]]);
    const file: StateFile = { spaces: { acme: { keys: { kims: {} } } } };
    expect(planChanges(file, state, NOW).mistakes).toMatchObject([
      { message: expect.stringContaining('was removed as a member') },
    ]);
  });
});

describe('budgets', () => {
  test('that the file describes as they are do not change; others are left alone', () => {
    const text = `
spaces:
  acme:
    budgets:
      search: { amount: 500.0, window: month, tags: "env=prod,team=search" }
      kims: { member: kim@example.com }
`;
    expect(plan(text)).toEqual({
      changes: [],
      mistakes: [],
      drift: [{ subject: 'budget', space: 'acme', name: 'each-user', why: 'not in the file' }],
    });
  });

  test('are removed before others are added, and changed in their amount and in whether they refuse', () => {
    const text = `
spaces:
  acme:
    budgets:
      new: { amount: 1, window: week, model: sim-chat, hard: true }
      search: { amount: 800, hard: true }
      each-user: { state: absent }
`;
    expect(shortly(text)).toEqual([
      { change: 'remove budget each-user', fields: [], steps: ['budgets.remove'] },
      {
        change: 'create budget new',
        fields: [
          ['amount', undefined, '1'],
          ['hard', undefined, true],
          ['window', undefined, 'week'],
          ['model', undefined, 'sim-chat'],
        ],
        steps: ['budgets.add'],
      },
      {
        change: 'update budget search',
        fields: [
          ['amount', '500', '800'],
          ['hard', false, true],
        ],
        steps: ['budgets.change'],
      },
    ]);
  });

  test('cannot count something else, and need an amount and a window', () => {
    const text = `
spaces:
  acme:
    budgets:
      new: { model: sim-chat }
      search: { tags: team=shop }
      each-user: { window: month, per: session }
`;
    const other = 'Choose another name, or remove this budget first with state: absent.';
    expect(mistakes(text)).toEqual([
      'spaces.acme.budgets.new.amount is required.',
      'spaces.acme.budgets.new.window is required.',
      `spaces.acme.budgets.search.tags cannot change: it is team=search,env=prod. ${other}`,
      `spaces.acme.budgets.each-user.window cannot change: it is day. ${other}`,
      `spaces.acme.budgets.each-user.per cannot change: it is end_user. ${other}`,
    ]);
  });
});
