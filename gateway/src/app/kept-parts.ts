/** Builds what keeps responses: those that were answered, and those that run in the background. */
import { type LostCallTools, lostCallRecorder } from '../calls/lost-call.ts';
import type { RepeatableCalls } from '../idempotency/repeatable-calls.ts';
import type { Running } from '../kernel/running.ts';
import { BackgroundResponses } from '../responses/background-responses.ts';
import { KeptResponses, type KeptResponsesOptions } from '../responses/kept-responses.ts';
import type { Limits } from './limits.ts';
import type { Reports } from './reporting-parts.ts';

type KeptTools = Pick<KeptResponsesOptions, 'db' | 'clock' | 'blobs' | 'keeper' | 'outage'> &
  LostCallTools &
  Reports & { readonly repeatable: RepeatableCalls; readonly limits: Limits };

export class KeptParts implements Running {
  readonly kept: KeptResponses;
  readonly background: BackgroundResponses;

  constructor({ limits, log, metrics, repeatable: calls, ...tools }: KeptTools) {
    const sizes = { responseBytesMax: limits.keptResponseBytes, spaceBytesMax: limits.keptSpaceBytes };
    this.kept = new KeptResponses({
      ...tools,
      limits: sizes,
      onNotKept: (reason, error) => {
        metrics.responseNotKept(reason);
        log.warn('a response is not kept', { reason, error });
      },
      onSweepFailed: (error) => log.warn('expired responses could not be removed', { error }),
    });
    this.background = new BackgroundResponses({
      ...tools,
      calls,
      limits: sizes,
      recordLost: lostCallRecorder(tools),
      onSweepFailed: (error) =>
        log.warn('the end of a lost background response could not be stored', { error }),
    });
  }

  async start(): Promise<void> {
    await this.kept.start();
    await this.background.start();
  }

  async stop(): Promise<void> {
    await this.background.stop();
    await this.kept.stop();
  }

  async runOnce(): Promise<void> {
    await this.kept.runOnce();
    await this.background.runOnce();
  }
}
