/** Compares the members of a space with the file. Pure. */
import { type Change, type ChangeStep, differing, given, notInFile, type Plan, step } from './change.ts';
import type { CurrentMember } from './current-state.ts';
import type { MemberEntry } from './state-file.ts';

const MEMBER_FIELDS = ['role', 'nickname', 'month_limit'] as const;

export function planMembers(
  entries: Readonly<Record<string, MemberEntry>>,
  current: readonly CurrentMember[],
  space: string,
): Pick<Plan, 'changes' | 'drift'> {
  const members = new Map(current.map((member) => [member.email.toLowerCase(), member]));
  const changes = Object.entries(entries).flatMap(([email, entry]): Change[] => {
    const about = { subject: 'member', space, name: email } as const;
    const member = members.get(email.toLowerCase());
    if (entry.state === 'absent') {
      const steps = [step('members.remove', { space, email })];
      return member === undefined ? [] : [{ ...about, action: 'remove', fields: [], steps }];
    }
    if (member === undefined) {
      const { role = 'member', nickname, month_limit: limit } = entry;
      const steps = [
        step('members.add', { space, email, role, nickname }),
        ...(limit ? [step('members.limit', { space, email, month_limit: limit })] : []),
      ];
      return [{ ...about, action: 'create', fields: given({ ...entry, role }, MEMBER_FIELDS), steps }];
    }
    const fields = differing(entry, member, MEMBER_FIELDS);
    const steps = fields.map(({ field }) => memberStep(field, entry, { space, email }));
    return fields.length === 0 ? [] : [{ ...about, action: 'update', fields, steps }];
  });
  const named = new Set(Object.keys(entries).map((email) => email.toLowerCase()));
  const unknown = current.map(({ email }) => email).filter((email) => !named.has(email.toLowerCase()));
  return { changes, drift: notInFile('member', space, unknown) };
}

function memberStep(field: string, entry: MemberEntry, at: { space: string; email: string }): ChangeStep {
  if (field === 'role') return step('members.role', { ...at, role: entry.role as 'admin' | 'member' });
  if (field === 'nickname') return step('members.nickname', { ...at, nickname: entry.nickname as string });
  return step('members.limit', { ...at, month_limit: entry.month_limit as string | null });
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
