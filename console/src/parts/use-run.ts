import { useState } from 'react';

interface Running {
  readonly runs: boolean;
  /** What was thrown; null if nothing was. */
  readonly error: unknown;
  /** Does something that may fail. Resolves to whether it succeeded. */
  run(work: () => Promise<unknown>): Promise<boolean>;
}

/** Something that a person starts: whether it runs, and why it failed. */
export function useRun(): Running {
  const [runs, setRuns] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    setRuns(true);
    setError(null);
    try {
      await work();
      return true;
    } catch (thrown) {
      setError(thrown);
      return false;
    } finally {
      setRuns(false);
    }
  };
  return { runs, error, run };
}
