/** What a text call of a space with hard limits costs at most. If its caller set no output limit, one is found that fits. */
import type { Catalog } from '../catalog/catalog.ts';
import type { Model } from '../catalog/model.ts';
import type { Units } from '../kernel/units.ts';
import type { AdmittedCost } from '../metering/admission.ts';
import { mayServe } from '../text/may-serve.ts';
import type { MediaAddress } from '../text/media-address.ts';
import type { CallSize } from './believable-usage.ts';
import type { ReplyHeaders } from './call-reply.ts';
import { outputLimitHeaders } from './cap-output.ts';
import { checkBounded } from './check-bounded.ts';
import {
  affordableOutput,
  answerTokens,
  type BoundedCall,
  costAtMost,
  fallbackModels,
} from './cost-at-most.ts';
import type { TextRequest } from './text-request.ts';

export class BoundText implements Pick<AdmittedCost, 'atMost' | 'fit'> {
  readonly #call: BoundedCall & { readonly model: Model };
  /** What is sent if it is lower than what a model can write; null if the caller set a limit. */
  outputCap: number | null;

  /** Throws a Problem for what nothing bounds. */
  constructor(
    { format, request, principal, body, startedAt, asWritten }: TextRequest<{ readonly model: string }>,
    of: { model: Model; size: CallSize; addresses: readonly MediaAddress[] },
    catalog: Pick<Catalog, 'seen'>,
  ) {
    const { model, size, addresses } = of;
    const user = { user: principal, endpoint: format.name };
    this.#call = {
      model,
      principal,
      at: startedAt,
      size,
      fallbacks: asWritten ? [] : fallbackModels(model, user, catalog),
      prompt: checkBounded({ format: format.name, request, addresses, inline: body.inline }),
      serve: mayServe(request),
    };
    this.outputCap = size.outputTokensMax === null ? Number.MAX_SAFE_INTEGER : null;
  }

  atMost(): Units {
    return costAtMost(this.#call);
  }

  fit(left: Units): Units | null {
    const { size } = this.#call;
    if (size.outputTokensMax !== null) return null;
    const outputTokensMax = affordableOutput(left, this.#call);
    if (outputTokensMax === null) return null;
    this.outputCap = outputTokensMax;
    return costAtMost({ ...this.#call, size: { ...size, outputTokensMax } });
  }

  /** What limits its usage, with the limit that is sent. */
  get size(): CallSize {
    const { size, model } = this.#call;
    if (this.outputCap === null) return size;
    return { ...size, outputTokensMax: Math.min(this.outputCap, answerTokens(model)) };
  }

  headers(): ReplyHeaders {
    return outputLimitHeaders(this.outputCap, this.#call.model);
  }
}
