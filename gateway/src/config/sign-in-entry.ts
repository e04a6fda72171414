/** The section `sign_in` of `tollgate.yaml`: the ways in which people sign in. */
import { type Static, Type } from 'typebox';
import { about, closed } from '../yaml/about-key.ts';
import { signInDefaults } from './config-defaults.ts';

const form = { minLength: 1, maxLength: 500 } as const;
const Text = Type.String(form);
const text = (meaning: string, example: string) => Type.String({ ...form, ...about(meaning, { example }) });
const claim = (meaning: string, name: string) =>
  Type.Optional(Type.String({ ...form, ...about(meaning, { default: name }) }));

const ClaimNames = Type.Object(
  {
    email: claim('The claim with the e-mail address.', signInDefaults.claims.email),
    name: claim('The claim with the display name.', signInDefaults.claims.name),
    groups: claim('The claim with the groups.', signInDefaults.claims.groups),
  },
  { ...closed, ...about('The names of claims.') },
);

const GroupEntry = Type.Object(
  {
    group: text('The group at the issuer.', 'research'),
    space: text('The name of the space.', 'research'),
    role: Type.Enum(['admin', 'member'], about('The role of its members in the space.')),
  },
  { ...closed, ...about('Members of a group are members of a space.') },
);

const IssuerEntry = Type.Object(
  {
    name: text('Its name in addresses and in the audit log.', 'corp'),
    label: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 60,
        ...about('The text of the button.', { otherwise: 'the name', example: 'Example Corp' }),
      }),
    ),
    issuer: text('The address of the issuer, with https.', 'https://login.example.com'),
    client_id: text('The id of this gateway at the issuer.', 'tollgate'),
    client_secret: text('The secret of this gateway at the issuer.', '${OIDC_CLIENT_SECRET}'),
    client_auth: Type.Optional(
      Type.Enum(
        ['basic', 'post'],
        about('How the secret is sent.', { otherwise: 'what the issuer supports' }),
      ),
    ),
    scopes: Type.Optional(
      Type.Array(
        Text,
        about('The scopes to ask for; openid is always included.', {
          default: signInDefaults.scopes,
          example: ['email', 'profile', 'groups'],
        }),
      ),
    ),
    claims: Type.Optional(ClaimNames),
    operators: Type.Optional(
      Type.Array(
        Text,
        about('Groups whose members are operators.', { otherwise: 'none', example: ['tollgate-operators'] }),
      ),
    ),
    spaces: Type.Optional(
      Type.Array(GroupEntry, about('Groups whose members are members of a space.', { otherwise: 'none' })),
    ),
    domains: Type.Optional(
      Type.Array(Text, {
        minItems: 1,
        ...about('The only addresses that this issuer may sign in.', {
          otherwise: 'every address that no other issuer lists',
          example: ['example.com'],
        }),
      }),
    ),
    allow_unverified_email: Type.Optional(
      Type.Boolean(
        about('True trusts an address that the issuer has not verified.', {
          default: signInDefaults.allowUnverifiedEmail,
        }),
      ),
    ),
  },
  { ...closed, ...about('An identity provider that speaks OpenID Connect.') },
);

export const SignInEntry = Type.Object(
  {
    password: Type.Optional(
      Type.Boolean(about('False: only issuers sign people in.', { default: signInDefaults.password })),
    ),
    device: Type.Optional(
      Type.Boolean(
        about('False: "tollgate login" cannot sign in by a code that is confirmed in a browser.', {
          default: signInDefaults.device,
        }),
      ),
    ),
    issuers: Type.Optional(
      Type.Array(
        IssuerEntry,
        about('The identity providers, in the order of their buttons.', { otherwise: 'none' }),
      ),
    ),
  },
  { ...closed, ...about('How people sign in to the console.') },
);
export type SignInEntry = Static<typeof SignInEntry>;
