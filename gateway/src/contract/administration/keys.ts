/** Administration of the keys of a space. */
import { Type } from 'typebox';
import { type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import {
  AmountOrNone,
  Email,
  KeyName,
  orNull,
  request,
  shape,
  text,
  timeOf,
  units,
  whole,
  withUse,
} from './fields.ts';
import { filterFields } from './filter-fields.ts';
import { listQuery, pageOf } from './lists.ts';
import { ruleEndpoints } from './rules/rule-endpoints.ts';
import { shownRuleFields } from './rules/rule-shapes.ts';
import {
  DAYS_MAX,
  GRACE_HOURS_DEFAULT,
  GRACE_HOURS_MAX,
  KEY_DAYS_DEFAULT,
  keyKinds,
  keyStates,
} from './words.ts';

const Days = Type.Optional(
  Type.Integer({
    ...whole({ min: 1, max: DAYS_MAX }),
    description: `A whole number of days from 1 to ${DAYS_MAX} that the secret is valid. Default: ${KEY_DAYS_DEFAULT}.`,
  }),
);
const GraceHours = Type.Optional(
  Type.Integer({
    ...whole({ min: 0, max: GRACE_HOURS_MAX }),
    description: `A whole number of hours from 0 to ${GRACE_HOURS_MAX} that the old secret keeps working. Default: ${GRACE_HOURS_DEFAULT}.`,
  }),
);

const { expires_at, ...otherRules } = shownRuleFields('key');

const keyRules = {
  expires_at,
  ends_at: orNull(
    timeOf(
      'The end that an administrator set with keys.expire. No rotation by its owner goes beyond it. Null: none.',
    ),
  ),
  ...otherRules,
  former_until: orNull(timeOf('Until when its previous secret keeps working. Null: there is none.')),
};

/** The rules of a key, as they are shown and written to the audit log. */
export const KeyRules = shape('What a key may do.', {
  name: text('The name of the key.'),
  owner: orNull(
    text(
      'The e-mail address of the owner of a personal key. They can create other keys: what holds for all of them is set for the member. Null: shared.',
    ),
  ),
  ...keyRules,
});

export const AdminKey = shape('A key, without its secret.', {
  id: text('The id of the key.'),
  name: text('The name of the key, unique among the keys of the space that are not revoked.'),
  kind: Type.Enum(keyKinds, {
    description: 'personal and shared keys call models; a management key reads usage.',
  }),
  hint: text('The masked secret, such as sk_…a1b2.'),
  owner: orNull(text('The e-mail address of the owner of a personal key. Null: shared.')),
  created_by: orNull(text('The e-mail address of the member who asked for it. Null: an operator.')),
  state: Type.Enum(keyStates, { description: 'What the key is now; only an active key is accepted.' }),
  created_at: timeOf('When it was created.'),
  ...keyRules,
  spent: units('The units it spent in the current calendar month (KST).'),
  resets_at: timeOf('When the month, and with it the spending, starts again.'),
  last_used_at: orNull(timeOf('When it was last charged. Null: never.')),
});

export const KeyPage = pageOf(AdminKey, 'The keys, ordered by name.');

const newSecret = {
  key: text('The secret of the key. It is shown only in this answer.'),
  id: text('The id of the key.'),
  name: text('The name of the key.'),
  kind: Type.Enum(keyKinds, { description: 'The kind of the key.' }),
  space: text('The name of the space.'),
  expires_at: timeOf('When the secret expires.'),
};

export const NewKeySecret = shape('A new key and its secret.', {
  ...newSecret,
  month_limit: keyRules.month_limit,
});

export const RotatedKey = shape('A key with its new secret.', {
  ...newSecret,
  former_until: timeOf('Until when the old secret works.'),
});

export const RevokedKey = shape('A key that is rejected for good.', {
  name: text('The name of the key.'),
  revoked: Type.Literal(true, { description: 'Always true.' }),
});

export const CreateKeyRequest = request('A new key.', {
  name: withUse(KeyName, 'The name, unique among the keys of the space that are not revoked.'),
  kind: Type.Enum(keyKinds, { description: 'The kind of the key. A member can create personal keys.' }),
  email: Type.Optional(withUse(Email, 'The owner of a personal key; a member can leave it out.')),
  creator: Type.Optional(withUse(Email, 'The member who asked for the key. Default: the owner.')),
  days: Days,
  month_limit: Type.Optional(AmountOrNone),
});

export const RotateKeyRequest = request('How long the secrets are valid.', {
  grace_hours: GraceHours,
  days: Days,
});

const aKey = `${IN_SPACE}/keys/{name}` as const;

export const keyEndpoints = {
  'keys.list': {
    ...operation('GET', `${IN_SPACE}/keys`, 'member'),
    summary: 'List the keys of a space.',
    query: listQuery(filterFields('keys.list')),
    response: KeyPage,
    csv: true,
  },
  'keys.get': {
    ...operation('GET', aKey, 'member'),
    summary: 'Get one key.',
    response: AdminKey,
  },
  'keys.create': {
    ...operation('POST', `${IN_SPACE}/keys`, 'member'),
    summary: 'Create a key; its secret is shown once.',
    request: CreateKeyRequest,
    response: NewKeySecret,
    problems: ['conflict'],
  },
  'keys.rotate': {
    ...operation('POST', `${aKey}/rotate`, 'member'),
    summary: 'Issue a new secret for a key.',
    request: RotateKeyRequest,
    response: RotatedKey,
  },
  'keys.revoke': {
    ...operation('DELETE', aKey, 'member'),
    summary: 'Reject a key from now on, for good.',
    response: RevokedKey,
  },
  ...ruleEndpoints('key', aKey, KeyRules),
} as const satisfies Record<string, AdminEndpoint>;
