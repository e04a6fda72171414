/** Compares the rules for workloads of each key with the file. Pure. */
import { type Change, given, notInFile, type Plan, step } from './change.ts';
import type { CurrentKey, CurrentWorkload } from './current-state.ts';
import type { FieldPath, Mistake } from './read-state-file.ts';
import type { KeyEntry, WorkloadEntry } from './state-file.ts';

interface WorkloadsAt {
  readonly space: string;
  /** Of the keys. */
  readonly path: FieldPath;
  readonly keys: readonly CurrentKey[];
}

/** Rules are removed before keys change, so that another key can get them, and `added` after new keys are created. */
export function planWorkloads(
  entries: Readonly<Record<string, KeyEntry>>,
  current: readonly CurrentWorkload[],
  { space, path, keys }: WorkloadsAt,
): { removed: Plan; added: Plan } {
  const [removals, additions]: [Change[], Change[]] = [[], []];
  const mistakes: Mistake[] = [];
  const unknown: string[] = [];
  for (const [key, entry] of Object.entries(entries)) {
    const { workloads: wanted } = entry;
    if (wanted === undefined || entry.state === 'absent') continue;
    const say = (message: string): void => void mistakes.push({ path: [...path, key, 'workloads'], message });
    if (
      isPersonal(
        entry,
        keys.find(({ name }) => name === key),
      )
    )
      say('are only for shared and management keys: what a workload spends belongs to no person.');
    const rules = new Map(
      current.filter(({ key_name }) => key_name === key).map((rule) => [identityOf(rule), rule]),
    );
    const seen = new Set<string>();
    for (const workload of wanted) {
      const identity = identityOf(workload);
      const rule = rules.get(identity);
      if (seen.has(identity)) say(`have the rule for ${workload.subject} of ${workload.issuer} twice.`);
      seen.add(identity);
      const about = { subject: 'workload', space, name: `${key}/${workload.subject}` } as const;
      if (workload.state === 'absent') {
        if (rule === undefined) continue;
        const steps = [step('workloads.remove', { space, workload: rule.id })];
        removals.push({ ...about, action: 'remove', fields: [], steps });
      } else if (rule === undefined) {
        const { issuer, subject, claims } = workload;
        const steps = [step('workloads.add', { space, key, issuer, subject, claims })];
        additions.push({ ...about, action: 'create', fields: given(workload, ['issuer', 'claims']), steps });
      }
    }
    for (const [identity, { subject }] of rules) if (!seen.has(identity)) unknown.push(`${key}/${subject}`);
  }
  return {
    removed: { changes: removals, drift: notInFile('workload', space, unknown), mistakes },
    added: { changes: additions, drift: [], mistakes: [] },
  };
}

/** A rule never changes: one with other claims is another rule. */
function identityOf({ issuer, subject, claims = [] }: Pick<WorkloadEntry, 'issuer' | 'subject' | 'claims'>) {
  return JSON.stringify([issuer, subject, claims.toSorted()]);
}

function isPersonal({ kind, owner }: KeyEntry, key: CurrentKey | undefined): boolean {
  return (key?.kind ?? kind ?? (owner === undefined ? 'shared' : 'personal')) === 'personal';
}
