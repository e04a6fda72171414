import { ExampleGiven } from './example-values.ts';
import type { TagDocs } from './operation-docs.ts';

const ISSUER = 'The name of the issuer, from the list of ways to sign in.';
const NO_ISSUER = 'the demo has no issuer';
const PASSWORD = 'correct horse battery staple';

const issuer_not_found = {
  detail: 'There is no issuer "unknown". GET /api/console/sign-in lists them.',
  provoke: { path: { issuer: 'unknown' } },
};

const issuer_unavailable = {
  detail: 'Corp gives no usable answer at the moment. Try again in a minute, or ask your operator.',
};

const wrongReturn = {
  detail: 'return_to must be a path of the console, such as /console/keys, of at most 1000 characters.',
  param: 'return_to',
};

const invalid_credentials = {
  detail: 'The invitation is invalid, was already accepted, was revoked or has expired. Ask for a new one.',
  provoke: { body: { code: 'iv_unknown' } },
};

const invalid_parameter = { detail: 'code is required.', param: 'code', provoke: { body: {} } };

export const signInDocs: TagDocs = {
  tag: 'Sign-in',
  description: 'Ways to sign in besides a password: issuers and invitations.',
  operations: {
    listSignInWays: {
      description:
        'Says what a sign-in page should offer: a form for e-mail and password, and one button per issuer. It needs no credential.',
      examples: [{ title: 'Passwords only', answer: { password: true, issuers: [] } }],
    },
    startIssuerSignIn: {
      description:
        'Open it in a browser. It redirects to the issuer, which sends the browser back to the callback. A command line sends `cli_port` and `cli_challenge`, and gets a code for its session on that port.',
      path: { issuer: ISSUER },
      examples: [
        {
          title: 'Go to the issuer',
          notSent: NO_ISSUER,
          path: { issuer: 'corp' },
          query: { return_to: '/console/keys' },
          answer: '',
        },
      ],
      errors: {
        issuer_not_found,
        issuer_unavailable,
        invalid_parameter: {
          ...wrongReturn,
          provoke: { query: { return_to: 'https://other.example' } },
        },
      },
    },
    finishIssuerSignIn: {
      description:
        'The issuer sends the browser here. It opens a session as a cookie and redirects to the `return_to` of the start. Only the browser that began the sign-in can finish it, within ten minutes. For a command line it answers a page that passes the code on.',
      path: { issuer: ISSUER },
      examples: [
        {
          title: 'Come back from the issuer',
          notSent: NO_ISSUER,
          path: { issuer: 'corp' },
          query: { code: 'SplxlOBeZQQYbYS6WxSbIA', state: 'af0ifjsldkj' },
          answer: '',
        },
      ],
      errors: {
        issuer_not_found,
        issuer_unavailable,
        invalid_parameter: wrongReturn,
        sign_in_failed: {
          detail: 'Corp did not sign you in (access_denied). Try again, or ask your operator.',
        },
        sign_in_not_allowed: {
          detail:
            'You signed in at Corp as kim@example.com, but this address has no access here. Ask an administrator of your space to invite it, or your operator to add it.',
        },
      },
    },
    lookAtInvitation: {
      description:
        'Shows the space and the role before the person accepts, and whether they have to sign in first. The invitation stays open.',
      examples: [
        {
          title: 'Someone new',
          body: { code: new ExampleGiven('invitation code', 'iv_…') },
          answer: {
            space: 'demo',
            email: 'guest-1@example.com',
            role: 'member',
            needs_sign_in: false,
            expires_at: '2026-11-23T05:13:24.083Z',
          },
        },
      ],
      errors: { invalid_credentials, invalid_parameter },
    },
    acceptInvitation: {
      description:
        'Someone new chooses a password and gets a session. Someone who has an account sends the request with their own session, and no password. An invitation is accepted once.',
      examples: [
        {
          title: 'Someone new',
          body: {
            code: new ExampleGiven('invitation code', 'iv_…'),
            password: PASSWORD,
            nickname: 'Kim',
            keep: 'token',
          },
          answer: {
            person: { email: 'guest-1@example.com', nickname: 'Kim', operator: false },
            spaces: [{ id: 'spc_01kdm5w2k6n0r4v8y2c6f0j4mq', name: 'demo', role: 'member' }],
            csrf: 'f8b9cdcebaf682590e1bbca30f27cb4bb9ca4f229d5855e619e3a21d1c523acc',
            expires_at: '2026-12-16T05:13:24.083Z',
            token: 'ts_…',
          },
        },
      ],
      errors: {
        invalid_credentials,
        invalid_parameter,
        missing_credentials: {
          detail: 'demo@example.com already has an account here. Sign in, then accept the invitation.',
          provoke: { body: { code: new ExampleGiven('invitation code of a person', 'iv_…') } },
        },
        sign_in_not_allowed: {
          detail:
            'The invitation is for demo@example.com, but you are signed in as member@example.com. Sign in as demo@example.com to accept it.',
          provoke: {
            body: { code: new ExampleGiven('invitation code of a person', 'iv_…') },
            headers: { authorization: new ExampleGiven('authorization of a member', 'Bearer ts_…') },
          },
        },
      },
    },
  },
};
