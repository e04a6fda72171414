/** The section `sign_in` of `tollgate.yaml`: the ways in which people sign in. */
import { type Static, Type } from 'typebox';

const closed = { additionalProperties: false } as const;
const Text = Type.String({ minLength: 1, maxLength: 500 });

const IssuerEntry = Type.Object(
  {
    name: Text,
    label: Type.Optional(Type.String({ minLength: 1, maxLength: 60 })),
    issuer: Text,
    client_id: Text,
    client_secret: Text,
    client_auth: Type.Optional(Type.Enum(['basic', 'post'])),
    scopes: Type.Optional(Type.Array(Text)),
    claims: Type.Optional(
      Type.Object(
        { email: Type.Optional(Text), name: Type.Optional(Text), groups: Type.Optional(Text) },
        closed,
      ),
    ),
    /** Groups whose members are operators. */
    operators: Type.Optional(Type.Array(Text)),
    /** Groups whose members are members of a space. */
    spaces: Type.Optional(
      Type.Array(Type.Object({ group: Text, space: Text, role: Type.Enum(['admin', 'member']) }, closed)),
    ),
    domains: Type.Optional(Type.Array(Text, { minItems: 1 })),
    allow_unverified_email: Type.Optional(Type.Boolean()),
  },
  closed,
);

export const SignInEntry = Type.Object(
  {
    password: Type.Optional(Type.Boolean()),
    issuers: Type.Optional(Type.Array(IssuerEntry)),
  },
  closed,
);
export type SignInEntry = Static<typeof SignInEntry>;
