import { jsonLines } from './example-parts.ts';
import { ExampleGiven, ExampleResult } from './example-values.ts';
import type { TagDocs } from './operation-docs.ts';

const PASSWORD = 'correct horse battery staple';
const session = {
  person: { email: 'demo@example.com', nickname: 'demo', operator: true },
  spaces: [{ id: 'spc_01kdm5w2k6n0r4v8y2c6f0j4mq', name: 'demo', role: 'operator' }],
  csrf: 'f8b9cdcebaf682590e1bbca30f27cb4bb9ca4f229d5855e619e3a21d1c523acc',
  expires_at: '2026-12-16T14:13:24+09:00',
};

export const consoleDocs: TagDocs = {
  tag: 'Console',
  description: 'Sessions of people, their passwords, and the results that they can download.',
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
    getVisitor: {
      description:
        'For a page that everybody may open: it answers 200 with null where `GET /api/console/session` answers 401.',
      examples: [{ title: 'Nobody is signed in', answer: { session: null } }],
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
