import type { BackgroundTasks } from '../kernel/background-tasks.ts';

/** Makes the items of an answer durable, and resolves to whether they are. */
export type KeepOutput = (output: readonly unknown[]) => Promise<boolean>;

/** Never rejects and never throws: the answer is paid for, and its charge is being recorded beside this. */
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
