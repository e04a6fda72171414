/** Keeps the output of a call without ever failing the call. */
import type { BackgroundTasks } from '../kernel/background-tasks.ts';

/** Stores the items of an answer. Resolves to whether they are stored. */
export type KeepOutput = (output: readonly unknown[]) => Promise<boolean>;

/** Never rejects and never throws: the answer is charged in parallel, so it has to be delivered. */
export async function keepOutput(
  keep: KeepOutput,
  output: () => readonly unknown[],
  background: BackgroundTasks,
): Promise<boolean> {
  try {
    return await keep(output());
  } catch (error) {
    background.run('keep a response', () => Promise.reject(error));
    return false;
  }
}
