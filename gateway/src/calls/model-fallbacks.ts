/**
 * Sends a text call to another model if the requested one cannot answer it: `fallbacks` of the catalogue, in their order.
 * Every check that holds for a call of the other model holds here. Nothing is sent to the caller before a model answers,
 * and only the model that answers is charged.
 */
import type { FallbackReason, Model } from '../catalog/model.ts';
import { toByteString } from '../kernel/byte-string.ts';
import { Problem } from '../kernel/problem.ts';
import type { ProblemCode } from '../kernel/problem-codes.ts';
import type { CallAttempt } from '../metering/call-record.ts';
import type { Usage } from '../pricing/usage.ts';
import type { CallTools } from './call-tools.ts';
import { AllRoutesFailed } from './call-upstream.ts';
import type { RunningText } from './text-request.ts';
import type { AttemptLog } from './upstream-request.ts';

const reasons: Readonly<Partial<Record<ProblemCode, FallbackReason>>> = {
  context_length_exceeded: 'context_length',
  upstream_unavailable: 'outage',
  upstream_error: 'outage',
  upstream_timeout: 'outage',
  rate_limit_exceeded: 'rate_limit',
  content_blocked: 'refusal',
};

export interface FallbackPlan<Request> {
  /** Rejects with a Problem if the model cannot serve the call, or the caller may not use it. */
  check(code: string): Promise<Model>;
  /** Rejects with AllRoutesFailed if nothing was produced. */
  run(call: RunningText<Request>): Promise<void>;
}

export class ModelFallbacks<Request> {
  readonly log: AttemptLog = { tried: [], attempts: 0, elsewhere: false };
  readonly #plan: FallbackPlan<Request>;
  readonly #tools: CallTools;
  /** Those that were not tried yet. */
  readonly #left: Array<NonNullable<Model['fallbacks']>[number]>;

  constructor(requested: Model, plan: FallbackPlan<Request>, tools: CallTools) {
    this.#plan = plan;
    this.#tools = tools;
    this.#left = [...(requested.fallbacks ?? [])];
  }

  /** If no model answers, the caller gets the error of the requested one. `tooLong`: why that one cannot be asked. */
  async run(call: RunningText<Request>, tooLong: Problem | null): Promise<void> {
    const { model } = call.facts;
    try {
      if (tooLong === null) return await this.#plan.run(this.#with(call, model));
      this.log.tried.push({ status: null, outcome: tooLong.code, ms: 0, model: model.code });
      throw new AllRoutesFailed(tooLong, { ...this.log, route: null });
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === null) throw error;
      if (await this.#answerElsewhere(call, reason)) return;
      const { problem, route, answer } = error as AllRoutesFailed;
      // The prompt was rejected before anything was asked: not a call, as without fallbacks.
      if (tooLong !== null && this.log.attempts === 0) throw tooLong;
      call.reply.onFail((failed) =>
        toByteString(call.format.writeStream(call.context).failure(failed, call.facts.id)),
      );
      throw new AllRoutesFailed(problem, { ...this.log, route, answer });
    }
  }

  /** Tries the models that are left. Throws what is thrown after an answer has begun. */
  async #answerElsewhere(call: RunningText<Request>, why: FallbackReason): Promise<boolean> {
    let [reason, from] = [why, call.facts.model];
    for (;;) {
      const model = await this.#next(call, reason);
      if (model === null) return false;
      this.log.elsewhere = true;
      this.#tools.meter.changedModel(from.code, model.code, reason);
      try {
        await this.#plan.run(this.#with(call, model));
        return true;
      } catch (error) {
        if (!(error instanceof AllRoutesFailed)) throw error;
        [reason, from] = [reasonOf(error) ?? reason, model];
      }
    }
  }

  /** Null if there is none, or the call must not go on. */
  async #next(call: RunningText<Request>, reason: FallbackReason): Promise<Model | null> {
    for (;;) {
      const at = this.#left.findIndex(({ on }) => on.has(reason));
      if (at < 0 || !this.#mayContinue(call)) return null;
      const [{ model: code } = { model: '' }] = this.#left.splice(at, 1);
      try {
        return await this.#plan.check(code);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
      }
    }
  }

  /** The caller is there and has time left. What the call may cost is still held. */
  #mayContinue({ cancellation, facts, streams }: RunningText<Request>): boolean {
    const { clock, limits, recorder } = this.#tools;
    const totalMs = streams ? limits.streamTotalMs : limits.callTotalMs;
    if (cancellation.cancelled || clock.elapsedMs() >= facts.startedMs + totalMs) return false;
    try {
      recorder.checkCanRecord();
      return true;
    } catch (error) {
      if (error instanceof Problem) return false;
      throw error;
    }
  }

  #with(call: RunningText<Request>, model: Model): RunningText<Request> {
    const running = {
      ...call,
      facts: { ...call.facts, model },
      context: { ...call.context, model: model.code },
    };
    const takesRefusals = this.#left.some(({ on }) => on.has('refusal'));
    const answerRefused = (usage: Usage | null): Promise<boolean> => {
      this.#noteRefusal(usage);
      if (usage !== null)
        this.#tools.rates.used(call.facts.principal, usage.inputTokens + usage.outputTokens);
      return this.#answerElsewhere(running, 'refusal');
    };
    return { ...running, fallback: { log: this.log, takesRefusals, answerRefused } };
  }

  /** The attempt was recorded as answered when its answer began. */
  #noteRefusal(usage: Usage | null): void {
    const { tried } = this.log;
    const answered = tried.pop() as CallAttempt;
    const tokens = usage !== null && { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens };
    tried.push({ ...answered, outcome: 'refused', ...tokens });
  }
}

/** Null if no fallback may answer: the request is wrong, or something was sent already. */
function reasonOf(error: unknown): FallbackReason | null {
  return error instanceof AllRoutesFailed ? (reasons[error.problem.code] ?? null) : null;
}
