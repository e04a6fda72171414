import { ExampleResult } from '../example-values.ts';
import type { TagDocs } from '../operation-docs.ts';
import { LAST_PAGE, OWNER } from './places.ts';

const rotated = {
  id: 14,
  at: '2026-11-16T14:22:09+09:00',
  actor: OWNER,
  action: 'keys.rotate',
  space: 'demo',
  subject: 'checkout',
  before: { hint: 'sk_…Qm7w', expires_at: '2027-02-14T14:22:07+09:00' },
  after: {
    hint: 'sk_…x2Fd',
    expires_at: '2027-02-14T14:22:09+09:00',
    former_until: '2026-11-17T14:22:09+09:00',
  },
};

const newOperator = {
  id: 31,
  at: '2026-11-16T14:26:30+09:00',
  actor: OWNER,
  action: 'operators.add',
  space: null,
  subject: 'park@example.com',
  before: null,
  after: { operator: true, password: 'set' },
};

export const auditDocs: TagDocs = {
  tag: 'Audit',
  description: 'Who changed what and when. Each change is recorded in its own transaction.',
  operations: {
    'audit.list': {
      description:
        'Changes of the space and of everything in it. `before` and `after` have the fields that changed, never a secret.',
      examples: [
        {
          title: 'Rotated keys',
          path: { space: 'demo' },
          query: { action: 'keys.rotate' },
          after: ['keys.rotate'],
          answer: {
            data: [rotated],
            ...LAST_PAGE,
          },
        },
      ],
    },
    'audit.get': {
      description: 'The line by its number, which is its `id` in the list.',
      examples: [
        {
          title: 'A rotated key',
          path: { space: 'demo', line: new ExampleResult('audit.list', 'data.0.id') },
          answer: rotated,
        },
      ],
    },
    'audit.all': {
      description:
        'Also has changes that belong to no space, such as new operators. An actor is an e-mail address, `token:NAME`, or `operator:NAME` for someone with a shell on the server.',
      examples: [
        {
          title: 'New operators',
          query: { action: 'operators' },
          after: ['operators.add'],
          answer: {
            data: [newOperator],
            ...LAST_PAGE,
          },
        },
      ],
    },
    'audit.getAny': {
      description: 'A line of any space, or of a change that belongs to no space.',
      examples: [
        {
          title: 'A new operator',
          path: { line: new ExampleResult('audit.all', 'data.0.id') },
          answer: newOperator,
        },
      ],
      errors: {
        not_found: {
          detail: 'There is no line 999999999 in the audit log.',
          param: 'line',
          provoke: { path: { line: '999999999' } },
        },
      },
    },
  },
};
