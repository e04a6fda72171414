import { jsonLines } from './example-parts.ts';
import { ExampleGiven, ExampleResult } from './example-values.ts';
import type { TagDocs } from './operation-docs.ts';

const PASSWORD = 'correct horse battery staple';
const session = {
  person: { email: 'demo@example.com', nickname: 'demo', operator: true },
  spaces: [{ id: 'spc_01kdm5w2k6n0r4v8y2c6f0j4mq', name: 'demo', role: 'operator' }],
  csrf: 'f8b9cdcebaf682590e1bbca30f27cb4bb9ca4f229d5855e619e3a21d1c523acc',
  expires_at: '2026-12-16T05:13:24.083Z',
};

export const consoleDocs: TagDocs = {
  tag: 'Console',
  description: 'Sessions of people, and what they can look up about requests and results.',
  operations: {
    signIn: {
      description:
        'Starts a session. A browser gets it as a cookie; a program asks for `"keep": "token"` and sends the token as a bearer token. Wrong passwords are limited per account and per address.',
      examples: [
        {
          title: 'A browser',
          body: { email: 'demo@example.com', password: PASSWORD },
          after: ['changePassword'],
          answer: session,
        },
        {
          title: 'A program',
          body: { email: 'demo@example.com', password: PASSWORD, keep: 'token' },
          after: ['changePassword'],
          answer: { ...session, token: 'ts_…' },
        },
      ],
      errors: {
        invalid_credentials: {
          detail: 'The e-mail or the password is wrong.',
          provoke: { body: { email: 'demo@example.com', password: 'not this one' } },
        },
        invalid_parameter: {
          detail: 'email is required.',
          param: 'email',
          provoke: { body: { password: PASSWORD } },
        },
      },
    },
    signInByLink: {
      description:
        'The code of a link works once, within ten minutes. It is the part of the link after the `#`.',
      examples: [
        {
          title: 'A program',
          body: { code: new ExampleGiven('sign-in code', 'sl_…'), keep: 'token' },
          answer: { ...session, token: 'ts_…' },
        },
      ],
      errors: {
        invalid_credentials: {
          detail: 'The link is invalid, was already used or has expired. Ask for a new one.',
          provoke: { body: { code: 'sl_unknown' } },
        },
        invalid_parameter: {
          detail: 'code is required.',
          param: 'code',
          provoke: { body: { keep: 'token' } },
        },
      },
    },
    getSession: {
      description: 'Also returns the `csrf` value that writes with the cookie need.',
      examples: [{ title: 'An operator', answer: session }],
    },
    signOut: {
      description: 'The session ends at once, on every device that has its token.',
      examples: [{ title: 'Sign out', answer: { signed_out: true } }],
    },
    changePassword: {
      description: 'All other sessions of the person end. Who signed in by a link may have no password yet.',
      examples: [
        {
          title: 'The first password',
          body: { new_password: PASSWORD },
          answer: { changed: true, sessions_ended: 0 },
        },
      ],
      errors: {
        invalid_parameter: {
          detail: 'new_password is required.',
          param: 'new_password',
          provoke: { body: {} },
        },
      },
    },
    why: {
      description:
        'Takes the `x-request-id` of an answer or the `error_ref` of an error. Administrators see the requests of their space, members those of their own keys.',
      path: { ref: 'The id of a request, or the id of a job.' },
      examples: [
        {
          title: 'A charged call',
          path: { ref: new ExampleGiven('request id', 'req_01kdm5x8qv7t2n4c6f9w3hzrpa') },
          answer: {
            ref: 'req_01kdm5x8qv7t2n4c6f9w3hzrpa',
            space: 'demo',
            key: 'demo',
            key_hint: 'sk_…apvV',
            member: 'demo@example.com',
            refusal: null,
            call: {
              endpoint: 'chat',
              model: 'sim-chat',
              route: 'simulator/sim-chat',
              streamed: false,
              outcome: 'completed',
              problem: null,
              finish_reason: 'stop',
              attempts: 1,
              started_at: '2026-11-16T05:13:24.413Z',
              first_byte_ms: null,
              duration_ms: 3,
              usage_source: 'provider',
              usage: {
                input_tokens: 7,
                cached_input_tokens: 0,
                cache_write_tokens: 0,
                output_tokens: 28,
                reasoning_tokens: 26,
                images: null,
              },
              price_version: 'demo-3',
              lines: [
                { component: 'input', count: 7, price: '2.5', amount: '0.0000175' },
                { component: 'output', count: 2, price: '10', amount: '0.00002' },
                { component: 'reasoning', count: 26, price: '10', amount: '0.00026' },
              ],
              cost: '0.0002975',
              charged_at: '2026-11-16T05:13:24.416Z',
              month: '2026-11',
              journal_entry: 13,
              corrections: [],
            },
          },
        },
      ],
    },
    getConsoleFileContent: {
      description:
        'For administrators of a space: the results of a batch that belongs to one of its members.',
      path: { id: 'The id of a result file.' },
      examples: [
        {
          title: 'The results of a batch',
          path: { id: new ExampleResult('getBatch', 'output_file_id') },
          partial: true,
          answer: jsonLines([
            {
              id: 'batch_req_01kdm5z0c4m8r2v6x1b5n9s3kq',
              custom_id: 'order-1',
              response: { status_code: 200, request_id: 'req_01kdm5z0c4m8r2v6x1b5n9s3kq', body: {} },
              error: null,
            },
          ]),
        },
      ],
    },
  },
};
