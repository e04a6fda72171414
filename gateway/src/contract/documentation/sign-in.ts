import { ExampleGiven, ExampleResult } from './example-values.ts';
import type { ErrorExample, TagDocs } from './operation-docs.ts';

const ISSUER = 'The name of the issuer, from the list of ways to sign in.';
const NO_ISSUER = 'the demo has no issuer';
const PASSWORD = 'correct horse battery staple';

const MACHINE = 'kim@laptop (linux)';
const USER_CODE = 'BCDF-GHJK';
const VERIFIER = 'dGhlIHZlcmlmaWVyIG9mIGEgY29tbWFuZCBsaW5lIGV4';
/** Its SHA-256. */
const CHALLENGE = '8b35792e39a26d423528fd5b9f6e537b4e63a1b84e963b5bb71ac354cd09bc15';

const wrongCode = (body: object): ErrorExample => ({
  detail:
    'No command line waits with this code: it is wrong, was already used or has expired. Compare it with the terminal, or run "tollgate login" again.',
  param: 'user_code',
  provoke: { body },
});

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
  description: 'Ways to sign in besides a password: issuers, invitations, and codes for command lines.',
  operations: {
    listSignInWays: {
      description:
        'Says what a sign-in page should offer: a form for e-mail and password, and one button per issuer. It needs no credential.',
      examples: [{ title: 'Passwords only', answer: { password: true, issuers: [] } }],
    },
    startIssuerSignIn: {
      description:
        'Open it in a browser. It redirects to the issuer, which sends the browser back to the callback.',
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
        'The issuer sends the browser here. It opens a session as a cookie and redirects to the `return_to` of the start. Only the browser that began the sign-in can finish it, within ten minutes.',
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
    startDeviceSignIn: {
      description:
        'For a command line without a session. Show `user_code` to the person and let them open `verification_url` in any browser; then ask for the session until it is there. The code works once, within ten minutes. Keep the secret: only its digest is sent here.',
      examples: [
        {
          title: 'A laptop',
          body: { machine: MACHINE, challenge: CHALLENGE },
          answer: {
            user_code: USER_CODE,
            verification_url: `http://localhost:8080/console/device?code=${USER_CODE}`,
            expires_in: 600,
            interval: 2,
          },
        },
      ],
      errors: {
        invalid_parameter: {
          detail: 'machine is required.',
          param: 'machine',
          provoke: { body: { challenge: CHALLENGE } },
        },
        sign_in_not_allowed: {
          detail:
            'Signing in by a code is switched off on this server. Use "tollgate login --email EMAIL", or "--link LINK" with a link from an operator.',
        },
      },
    },
    lookAtDeviceSignIn: {
      description:
        'Shows the machine and the network address that the command line came from, before the person decides. Somebody else may have sent them the code: `same_address` says whether both are at the same address. Wrong codes are limited per person and per address.',
      examples: [
        {
          title: 'The code of the laptop',
          body: { user_code: new ExampleResult('startDeviceSignIn', 'user_code') },
          answer: {
            machine: MACHINE,
            address: '127.0.0.1',
            same_address: true,
            created_at: '2026-11-16T14:13:24+09:00',
            expires_at: '2026-11-16T14:23:24+09:00',
          },
        },
      ],
      errors: { invalid_parameter: wrongCode({ user_code: 'XXXX-XXXX' }) },
    },
    decideDeviceSignIn: {
      description:
        'The command line signs in as the person whose session this is, at most until that session ends. The audit log records the machine and its address. `"allow": false` ends its wait.',
      examples: [
        {
          title: 'Sign it in',
          body: { user_code: new ExampleResult('startDeviceSignIn', 'user_code'), allow: true },
          after: ['lookAtDeviceSignIn'],
          answer: { allowed: true },
        },
      ],
      errors: { invalid_parameter: wrongCode({ user_code: 'XXXX-XXXX', allow: true }) },
    },
    finishDeviceSignIn: {
      description:
        'Ask every `interval` seconds. The session is null until the person has confirmed the code, and is answered once.',
      examples: [
        {
          title: 'After it was confirmed',
          body: { verifier: VERIFIER },
          after: ['decideDeviceSignIn'],
          answer: {
            session: {
              person: { email: 'demo@example.com', nickname: 'demo', operator: true },
              spaces: [{ id: 'spc_01kdm5w2k6n0r4v8y2c6f0j4mq', name: 'demo', role: 'operator' }],
              csrf: 'f8b9cdcebaf682590e1bbca30f27cb4bb9ca4f229d5855e619e3a21d1c523acc',
              expires_at: '2026-12-16T14:13:24+09:00',
              token: 'ts_…',
            },
          },
        },
      ],
      errors: {
        invalid_credentials: {
          detail: 'The sign-in was rejected, was already used or has expired. Run "tollgate login" again.',
          provoke: { body: { verifier: 'x'.repeat(43) } },
        },
        invalid_parameter: { detail: 'verifier is required.', param: 'verifier', provoke: { body: {} } },
      },
    },
    createFirstOperator: {
      description:
        'For the link that a server prints on its terminal while the installation has no operator. It works once, within 30 minutes, and opens a session as a cookie.',
      examples: [
        {
          title: 'A new installation',
          notSent: 'the demo has an operator',
          body: { code: 'fo_…', email: 'kim@example.com', password: PASSWORD },
          answer: {
            person: { email: 'kim@example.com', nickname: 'kim', operator: true },
            spaces: [],
            csrf: 'f8b9cdcebaf682590e1bbca30f27cb4bb9ca4f229d5855e619e3a21d1c523acc',
            expires_at: '2026-12-16T14:13:24+09:00',
          },
        },
      ],
      errors: {
        invalid_credentials: {
          detail:
            'The link is invalid, was already used or has expired, or there is an operator by now. Start the server again for a new one, or run "tollgate operators add EMAIL" on its machine.',
          provoke: { body: { code: 'fo_unknown', email: 'kim@example.com', password: PASSWORD } },
        },
        invalid_parameter,
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
            expires_at: '2026-11-23T14:13:24+09:00',
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
            expires_at: '2026-12-16T14:13:24+09:00',
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
