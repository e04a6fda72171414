/** Compares the grants of a space with the file. Pure. */
import { type Instant, kstOf } from '../../../kernel/time.ts';
import { type Change, type Drift, given, notInFile, type Plan, step } from './change.ts';
import type { CurrentGrant } from './current-state.ts';
import type { FieldPath, Mistake } from './read-state-file.ts';
import type { GrantEntry } from './state-file.ts';

const NOTE_CHARACTERS_MAX = 120;

/** Grants are only added: units that were given cannot be taken back. */
export function planGrants(
  entries: Readonly<Record<string, GrantEntry>>,
  current: readonly CurrentGrant[],
  { space, path, now }: { space: string; path: FieldPath; now: Instant },
): Plan {
  const grants = new Map(current.map((grant) => [refOf(grant.note), grant]));
  const changes: Change[] = [];
  const mistakes: Mistake[] = [];
  const drift: Drift[] = [];
  for (const [ref, entry] of Object.entries(entries)) {
    const { amount, kind = 'paid', expires, note } = entry;
    const say = (field: string, message: string): void =>
      void mistakes.push({ path: [...path, ref, field], message });
    const full = noteWithRef(ref, note);
    const expiry = expires === undefined ? null : kstOf(Date.parse(expires));
    const grant = grants.get(ref);
    if (full.length > NOTE_CHARACTERS_MAX)
      say('note', `is too long: with the ref it may have ${NOTE_CHARACTERS_MAX} characters.`);
    if (kind === 'paid' && expires !== undefined)
      say('expires', 'is only for promo units; paid units do not expire.');
    if (grant === undefined) {
      if (expires !== undefined && Date.parse(expires) <= now) say('expires', `${expiry} is in the past.`);
      const steps = [step('grants.add', { space, amount, kind, expires, note: full })];
      const fields = given({ ...entry, kind }, ['amount', 'kind', 'expires', 'note']);
      changes.push({ action: 'create', subject: 'grant', space, name: ref, fields, steps });
      continue;
    }
    const other = {
      amount: grant.amount !== amount,
      kind: grant.kind !== kind,
      expires: grant.expires_at !== expiry,
    };
    for (const [field] of Object.entries(other).filter(([, differs]) => differs))
      say(field, 'cannot change: the units were already granted. Add another grant with another ref.');
    if (grant.note !== full)
      drift.push({
        subject: 'grant',
        space,
        name: ref,
        why: `its note is ${JSON.stringify(grant.note)}, which cannot change`,
      });
  }
  const unknown = current
    .filter(({ note }) => !Object.hasOwn(entries, refOf(note) ?? ''))
    .map(({ id }) => id);
  return { changes, drift: [...drift, ...notInFile('grant', space, unknown)], mistakes };
}

/** A grant keeps its ref at the end of its note, so that a second apply does not grant twice. */
const MARK = /(?:^| )\[ref: ([^\]]+)\]$/;

function noteWithRef(ref: string, note = ''): string {
  return `${note} [ref: ${ref}]`.trimStart();
}

/** Null: the grant was not made by "apply". */
function refOf(note: string): string | null {
  return MARK.exec(note)?.[1] ?? null;
}
