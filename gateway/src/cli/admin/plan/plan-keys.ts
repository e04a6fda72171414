/** Compares the keys of a space with the file. Pure. */
import { KEY_DAYS_DEFAULT } from '../../../contract/administration/words.ts';
import type { Instant } from '../../../kernel/time.ts';
import { type Change, given, notInFile, type Plan, step } from './change.ts';
import type { CurrentKey } from './current-state.ts';
import { planRules, type RulePlan } from './plan-rules.ts';
import type { FieldPath, Mistake } from './read-state-file.ts';
import type { KeyEntry } from './state-file.ts';

export interface KeysAt {
  readonly space: string;
  readonly path: FieldPath;
  readonly now: Instant;
  /** The e-mail addresses of those who are members after the apply, in lower case. */
  readonly owners: ReadonlySet<string>;
}

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
    const path = [...at.path, name];
    const rules = planRules('key', entry, key ?? {}, { named: { space: at.space, name }, path, now: at.now });
    mistakes.push(...mistakesOf(entry, key, { ...at, path }), ...rules.mistakes);
    if (key === null) changes.push(creation(name, entry, rules, at));
    else if (rules.steps.length > 0) changes.push(update(name, rules, at));
  }
  const unknown = current.map(({ name }) => name).filter((name) => !Object.hasOwn(entries, name));
  return { changes, drift: notInFile('key', at.space, unknown), mistakes };
}

function removal(name: string, { space }: KeysAt): Change {
  const steps = [step('keys.revoke', { space, name })];
  return { action: 'remove', subject: 'key', space, name, fields: [], steps };
}

function creation(name: string, entry: KeyEntry, rules: RulePlan, { space }: KeysAt): Change {
  const { owner, days = KEY_DAYS_DEFAULT, kind = owner === undefined ? 'shared' : 'personal' } = entry;
  const steps = [step('keys.create', { space, name, kind, days, email: owner }), ...rules.steps];
  const own = given({ kind, owner, days }, ['kind', 'owner', ...(entry.expires ? [] : (['days'] as const))]);
  return { action: 'create', subject: 'key', space, name, fields: [...own, ...rules.given], steps };
}

function update(name: string, { changed, steps }: RulePlan, { space }: KeysAt): Change {
  return { action: 'update', subject: 'key', space, name, fields: changed, steps };
}

function mistakesOf(entry: KeyEntry, key: CurrentKey | null, at: KeysAt): Mistake[] {
  const { kind, owner } = entry;
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
