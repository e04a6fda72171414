/** Compares the members of a space with the file. Pure. */
import type { Instant } from '../../../kernel/time.ts';
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
import { planRules } from './plan-rules.ts';
import type { FieldPath, Mistake } from './read-state-file.ts';
import type { MemberEntry } from './state-file.ts';

const MEMBER_FIELDS = ['role', 'nickname'] as const;

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
    const at = { space, email };
    const fields = differing(written, member ?? { role, nickname }, MEMBER_FIELDS);
    const rules = planRules('member', written, member ?? {}, { named: at, path: [...path, email], now });
    mistakes.push(...rules.mistakes);
    const steps = [...memberSteps(fields, at), ...rules.steps];
    if (member !== undefined)
      return steps.length === 0
        ? []
        : [{ ...about, action: 'update', fields: [...fields, ...rules.changed], steps }];
    const added = step('members.add', { ...at, role, nickname });
    const shown = [...given({ ...written, role }, MEMBER_FIELDS), ...rules.given];
    return [{ ...about, action: 'create', fields: shown, steps: [added, ...steps] }];
  });
  const named = new Set(Object.keys(entries).map((email) => email.toLowerCase()));
  const unknown = current.map(({ email }) => email).filter((email) => !named.has(email.toLowerCase()));
  return { changes, drift: notInFile('member', space, unknown), mistakes };
}

function memberSteps(changes: readonly FieldChange[], at: { space: string; email: string }): ChangeStep[] {
  const after = Object.fromEntries(changes.map(({ field, after }) => [field, after])) as MemberEntry;
  const { role, nickname } = after;
  return [
    ...(role === undefined ? [] : [step('members.role', { ...at, role })]),
    ...(nickname === undefined ? [] : [step('members.nickname', { ...at, nickname })]),
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
