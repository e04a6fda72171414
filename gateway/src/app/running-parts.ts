/** Stops the parts of a process one after the other. A part that fails is logged, and the next one is stopped. */
import type { Log } from '../telemetry/log.ts';

export async function stopInOrder(steps: ReadonlyArray<() => unknown>, log: Log): Promise<void> {
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      log.error('a part of the gateway could not be stopped', { error });
    }
  }
}
