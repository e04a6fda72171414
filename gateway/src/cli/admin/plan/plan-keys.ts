/** Compares the keys of a space with the file. Pure. */
import { KEY_DAYS_DEFAULT } from '../../../contract/administration/words.ts';
import { type Instant, kstOf } from '../../../kernel/time.ts';
import {
  type Change,
  type ChangeStep,
  differing,
  type FieldChange,
  given,
  notInFile,
  type Plan,
  step,
} from './change.ts';
import type { CurrentKey } from './current-state.ts';
import type { FieldPath, Mistake } from './read-state-file.ts';
import type { KeyEntry } from './state-file.ts';

export interface KeysAt {
  readonly space: string;
  readonly path: FieldPath;
  readonly now: Instant;
  /** The e-mail addresses of those who are members after the apply, in lower case. */
  readonly owners: ReadonlySet<string>;
}

const RULES = ['month_limit', 'requests_per_minute', 'tokens_per_minute', 'models', 'disabled'] as const;
/** The rules of a key when it is created. */
const NEW: Pick<CurrentKey, (typeof RULES)[number]> = {
  month_limit: null,
  requests_per_minute: null,
  tokens_per_minute: null,
  models: null,
  disabled: false,
};

export function planKeys(
  entries: Readonly<Record<string, KeyEntry>>,
  current: readonly CurrentKey[],
  at: KeysAt,
): Plan {
  const keys = new Map(current.map((key) => [key.name, key]));
  const changes: Change[] = [];
  const mistakes: Mistake[] = [];
  for (const [name, entry] of Object.entries(entries)) {
    const key = keys.get(name) ?? null;
    if (entry.state === 'absent') {
      if (key !== null) changes.unshift(removal(name, at));
      continue;
    }
    mistakes.push(...mistakesOf(entry, key, { ...at, path: [...at.path, name] }));
    const change = key === null ? creation(name, entry, at) : update(name, entry, key, at);
    if (change !== null) changes.push(change);
  }
  const unknown = current.map(({ name }) => name).filter((name) => !Object.hasOwn(entries, name));
  return { changes, drift: notInFile('key', at.space, unknown), mistakes };
}

function removal(name: string, { space }: KeysAt): Change {
  const steps = [step('keys.revoke', { space, name })];
  return { action: 'remove', subject: 'key', space, name, fields: [], steps };
}

function creation(name: string, entry: KeyEntry, { space }: KeysAt): Change {
  const { owner, days = KEY_DAYS_DEFAULT, kind = owner === undefined ? 'shared' : 'personal' } = entry;
  const made = { ...entry, kind, days };
  const steps = [
    step('keys.create', { space, name, kind, days, email: owner }),
    ...ruleSteps(differing(entry, NEW, RULES), { space, name }),
    ...(entry.expires === undefined ? [] : [step('keys.expire', { space, name, expires: entry.expires })]),
  ];
  const fields = given(made, ['kind', 'owner', entry.expires === undefined ? 'days' : 'expires', ...RULES]);
  return { action: 'create', subject: 'key', space, name, fields, steps };
}

function update(name: string, entry: KeyEntry, key: CurrentKey, { space }: KeysAt): Change | null {
  const rules = differing(entry, key, RULES);
  const expiry = isOther(entry.expires, key)
    ? [{ field: 'expires', before: key.expires_at, after: kst(entry) }]
    : [];
  if (rules.length + expiry.length === 0) return null;
  const steps = [
    ...ruleSteps(rules, { space, name }),
    ...expiry.map(() => step('keys.expire', { space, name, expires: entry.expires as string })),
  ];
  return { action: 'update', subject: 'key', space, name, fields: [...rules, ...expiry], steps };
}

/** A rule that is set to what it is on a new key needs no step. */
function ruleSteps(changes: readonly FieldChange[], at: { space: string; name: string }): ChangeStep[] {
  const after = new Map(changes.map(({ field, after }) => [field, after]));
  const rates = ['requests_per_minute', 'tokens_per_minute'].filter((field) => after.has(field));
  return [
    ...(after.has('month_limit')
      ? [step('keys.limit', { ...at, month_limit: after.get('month_limit') as string | null })]
      : []),
    ...(rates.length > 0
      ? [step('keys.rate', { ...at, ...Object.fromEntries(rates.map((field) => [field, after.get(field)])) })]
      : []),
    ...(after.has('models')
      ? [step('keys.models', { ...at, models: after.get('models') as string[] | null })]
      : []),
    ...(after.has('disabled') ? [step(after.get('disabled') ? 'keys.disable' : 'keys.enable', at)] : []),
  ];
}

function mistakesOf(entry: KeyEntry, key: CurrentKey | null, at: KeysAt): Mistake[] {
  const { kind, owner, expires } = entry;
  const found: Mistake[] = [];
  const say = (field: string, message: string): void =>
    void found.push({ path: [...at.path, field], message });
  const isPersonal =
    (kind ?? key?.kind) === 'personal' || (kind === undefined && key === null && owner !== undefined);
  if (owner !== undefined && !isPersonal)
    say('owner', 'is only for personal keys. Write kind: personal, or leave it out.');
  if (key === null && kind === 'personal' && owner === undefined)
    say('owner', 'is required for a personal key; it must be the e-mail address of a member.');
  if (owner !== undefined && !at.owners.has(owner.toLowerCase()))
    say('owner', `${owner} is not a member. Add them under members.`);
  if (expires !== undefined && Date.parse(expires) <= at.now && (key === null || isOther(expires, key)))
    say('expires', `${kst(entry)} is in the past.`);
  if (key === null) return found;
  const other = 'Choose another name, or remove this key first with state: absent';
  if (kind !== undefined && kind !== key.kind)
    say('kind', `cannot change: the key is ${key.kind}. ${other}.`);
  else if (owner !== undefined && owner.toLowerCase() !== key.owner?.toLowerCase())
    say('owner', `cannot change: the key belongs to ${key.owner ?? 'a member who was removed'}. ${other}.`);
  else if (key.state === 'disabled' && !key.disabled)
    say('owner', `was removed as a member, so the key does not work. ${other}.`);
  return found;
}

/** Times are shown to the second, so they are compared to the second. */
function isOther(expires: string | undefined, key: CurrentKey): boolean {
  const second = (time: string): number => Math.floor(Date.parse(time) / 1000);
  return expires !== undefined && second(expires) !== second(key.expires_at);
}

function kst({ expires }: KeyEntry): string {
  return kstOf(Date.parse(expires as string));
}
