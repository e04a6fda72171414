/** Keeps the answer of a call without ever failing the call. */
import type { BackgroundTasks } from '../kernel/background-tasks.ts';
import type { Usage } from '../pricing/usage.ts';
import type { AnswerHead, AnswerStream, WholeAnswer } from '../text/text-format.ts';

export interface AnswerToKeep {
  readonly output: readonly unknown[];
  /** The rest of the answer, without its cost. */
  readonly head: AnswerHead;
}

/** Stores an answer. Resolves to whether it is stored. */
export type KeepOutput = (answer: AnswerToKeep) => Promise<boolean>;

/** Never rejects and never throws: the answer is charged in parallel, so it has to be delivered. */
export async function keepOutput(
  keep: KeepOutput,
  { answer, usage }: { answer: Pick<WholeAnswer | AnswerStream, 'output' | 'head'>; usage: Usage },
  background: BackgroundTasks,
): Promise<boolean> {
  try {
    return await keep({ output: answer.output?.() ?? [], head: answer.head?.(usage) ?? {} });
  } catch (error) {
    background.run('keep a response', () => Promise.reject(error));
    return false;
  }
}
