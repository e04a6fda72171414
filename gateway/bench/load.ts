/** The load, a process of its own, so that sending it costs the measured server nothing. */
import { endWithParent } from './child-process.ts';
import type { LoadAnswer, LoadJob } from './load-job.ts';
import { LoadRun } from './load-run.ts';

endWithParent();
process.on('message', (job: LoadJob) => {
  const answer = (message: LoadAnswer): void => void process.send?.(message);
  new LoadRun(job).run().then(
    (result) => answer({ result }),
    (error: Error) => answer({ error: error.message }),
  );
});
