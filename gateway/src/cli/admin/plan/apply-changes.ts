/** Carries out the changes of a plan, one after the other. Stops at the first that fails. */
import type { InputOf, OperationName, ResultOf } from '../../../contract/administration/admin-endpoints.ts';
import { sha256 } from '../../../kernel/digest.ts';
import type { Administration } from '../administration.ts';
import type { Change, ChangeStep } from './change.ts';

export interface CreatedSecret {
  readonly space: string;
  readonly name: string;
  readonly key: string;
}

export interface ApplyEvents {
  onDone(change: Change): void;
  onSecret(secret: CreatedSecret): void;
  onLost(answer: ResultOf<'members.remove'>): void;
}

export interface Applied {
  readonly done: readonly Change[];
  /** The change that failed, and how many of its steps were carried out; null: none failed. */
  readonly failed: { readonly change: Change; readonly stepsDone: number; readonly error: unknown } | null;
  readonly notDone: readonly Change[];
}

/**
 * `onSecret` gets each new secret as soon as it exists, because it cannot be shown again. `onLost` gets what ended with
 * rights that a person lost.
 */
export async function applyChanges(
  administration: Administration,
  changes: readonly Change[],
  { onDone, onSecret, onLost }: ApplyEvents,
): Promise<Applied> {
  for (const [i, change] of changes.entries()) {
    let stepsDone = 0;
    try {
      for (const step of change.steps) {
        const result = await run(administration, step);
        stepsDone++;
        if (step.operation === 'keys.create') {
          const { space, name, key } = result as ResultOf<'keys.create'>;
          onSecret({ space, name, key });
        }
        if (step.operation === 'members.remove' || step.operation === 'members.role')
          onLost(result as ResultOf<'members.remove'>);
      }
    } catch (error) {
      const failed = { change, stepsDone, error };
      return { done: changes.slice(0, i), failed, notDone: changes.slice(i + 1) };
    }
    onDone(change);
  }
  return { done: changes, failed: null, notDone: [] };
}

async function run(administration: Administration, { operation, input }: ChangeStep): Promise<unknown> {
  const name: OperationName = operation;
  return await administration.run(
    name,
    input as InputOf<typeof name>,
    repeatKeyOf({ operation, input } as ChangeStep),
  );
}

/** Two people who apply the same file at the same time grant once: over HTTP the second gets the first answer. */
function repeatKeyOf({ operation, input }: ChangeStep): { repeatKey?: string } {
  if (operation !== 'grants.add') return {};
  return { repeatKey: `apply-${sha256(`${input.space} ${input.note}`).slice(0, 40)}` };
}
