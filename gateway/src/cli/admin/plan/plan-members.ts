/** Compares the members of a space with the file. Pure. */
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
import type { CurrentMember } from './current-state.ts';
import type { FieldPath, Mistake } from './read-state-file.ts';
import type { MemberEntry } from './state-file.ts';

const RATES = ['requests_per_minute', 'tokens_per_minute'] as const;
const MEMBER_FIELDS = ['role', 'nickname', 'month_limit', ...RATES, 'models', 'expires'] as const;
/** The rules of a member who is added. */
const NEW = {
  month_limit: null,
  requests_per_minute: null,
  tokens_per_minute: null,
  models: null,
  expires: null,
} as const;

interface MembersAt {
  readonly space: string;
  readonly path: FieldPath;
  readonly now: Instant;
}

export function planMembers(
  entries: Readonly<Record<string, MemberEntry>>,
  current: readonly CurrentMember[],
  { space, path, now }: MembersAt,
): Plan {
  const members = new Map(current.map((member) => [member.email.toLowerCase(), member]));
  const mistakes: Mistake[] = [];
  const changes = Object.entries(entries).flatMap(([email, written]): Change[] => {
    const about = { subject: 'member', space, name: email } as const;
    const member = members.get(email.toLowerCase());
    if (written.state === 'absent') {
      const steps = [step('members.remove', { space, email })];
      return member === undefined ? [] : [{ ...about, action: 'remove', fields: [], steps }];
    }
    const { role = 'member', nickname } = written;
    // Times are shown to the second, in Korean time.
    const entry = { ...written, ...(written.expires && { expires: kstOf(Date.parse(written.expires)) }) };
    const before = { ...member, expires: member?.expires_at ?? null };
    const fields = differing(
      entry,
      member === undefined ? { ...NEW, role, nickname } : before,
      MEMBER_FIELDS,
    );
    const ends = fields.find(({ field }) => field === 'expires')?.after;
    if (typeof ends === 'string' && Date.parse(ends) <= now)
      mistakes.push({ path: [...path, email, 'expires'], message: `${ends} is in the past.` });
    const steps = memberSteps(fields, { space, email });
    if (member !== undefined)
      return fields.length === 0 ? [] : [{ ...about, action: 'update', fields, steps }];
    const added = step('members.add', { space, email, role, nickname });
    const shown = given({ ...entry, role }, MEMBER_FIELDS);
    return [{ ...about, action: 'create', fields: shown, steps: [added, ...steps] }];
  });
  const named = new Set(Object.keys(entries).map((email) => email.toLowerCase()));
  const unknown = current.map(({ email }) => email).filter((email) => !named.has(email.toLowerCase()));
  return { changes, drift: notInFile('member', space, unknown), mistakes };
}

function memberSteps(changes: readonly FieldChange[], at: { space: string; email: string }): ChangeStep[] {
  const after = Object.fromEntries(changes.map(({ field, after }) => [field, after])) as MemberEntry;
  const { role, nickname, month_limit, models, expires } = after;
  const rates = RATES.filter((field) => after[field] !== undefined);
  return [
    ...(role === undefined ? [] : [step('members.role', { ...at, role })]),
    ...(nickname === undefined ? [] : [step('members.nickname', { ...at, nickname })]),
    ...(month_limit === undefined ? [] : [step('members.limit', { ...at, month_limit })]),
    ...(rates.length === 0
      ? []
      : [
          step('members.rate', { ...at, ...Object.fromEntries(rates.map((field) => [field, after[field]])) }),
        ]),
    ...(models === undefined ? [] : [step('members.models', { ...at, models })]),
    ...(expires === undefined ? [] : [step('members.expire', { ...at, expires })]),
  ];
}

/** The e-mail addresses of those who are members after the apply, in lower case. */
export function ownersAfter(
  entries: Readonly<Record<string, MemberEntry>>,
  current: readonly CurrentMember[],
): ReadonlySet<string> {
  const owners = new Set(current.map(({ email }) => email.toLowerCase()));
  for (const [email, { state }] of Object.entries(entries)) {
    if (state === 'absent') owners.delete(email.toLowerCase());
    else owners.add(email.toLowerCase());
  }
  return owners;
}
