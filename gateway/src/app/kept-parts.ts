/** Builds what keeps responses: those that were answered, and those that run in the background. */
import { type LostCallTools, lostCallRecorder } from '../calls/lost-call.ts';
import { BackgroundResponses } from '../responses/background-responses.ts';
import { KeptResponses, type KeptResponsesOptions } from '../responses/kept-responses.ts';
import type { StoredAnswers } from '../stored-answers/stored-answers.ts';
import type { Limits } from './limits.ts';
import type { Reports } from './reporting-parts.ts';

type KeptTools = Pick<KeptResponsesOptions, 'db' | 'clock' | 'blobs' | 'keeper' | 'outage'> &
  LostCallTools &
  Reports & { readonly answers: StoredAnswers; readonly limits: Limits };

export interface KeptParts {
  readonly kept: KeptResponses;
  readonly background: BackgroundResponses;
}

export function createKeptParts({ limits, log, metrics, answers, ...tools }: KeptTools): KeptParts {
  const sizes = { responseBytesMax: limits.keptResponseBytes, spaceBytesMax: limits.keptSpaceBytes };
  const kept = new KeptResponses({
    ...tools,
    limits: sizes,
    onNotKept: (reason, error) => {
      metrics.responseNotKept(reason);
      log.warn('a response is not kept', { reason, error });
    },
    onSweepFailed: (error) => log.warn('expired responses could not be removed', { error }),
  });
  const recordLost = lostCallRecorder(tools);
  return { kept, background: new BackgroundResponses({ ...tools, answers, limits: sizes, recordLost }) };
}
