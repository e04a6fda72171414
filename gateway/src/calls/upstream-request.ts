/** A call as it is sent to a provider: how it is written for a route, and who takes the answer. */
import type { Model, UpstreamRoute } from '../catalog/model.ts';
import type { Cancellation } from '../kernel/cancellation.ts';
import type { Problem } from '../kernel/problem.ts';
import type { CallAttempt } from '../metering/call-record.ts';
import type { ResponseHeaders } from '../net/response-head.ts';
import type { BodySink, UpstreamCall, UpstreamHandler } from '../net/upstream-call.ts';
import type { Provider, ProviderApi } from '../providers/provider.ts';
import type { RequestTrace } from '../telemetry/trace.ts';

/** An answer has begun: status 200 and the headers are in. */
export interface OpenedAnswer<Api extends ProviderApi = ProviderApi> {
  readonly route: UpstreamRoute;
  readonly provider: Provider;
  readonly api: Api;
  readonly headers: ResponseHeaders;
  readonly call: UpstreamCall;
  readonly attempts: number;
  /** Every attempt, if there was more than one. */
  readonly tried: readonly CallAttempt[];
}

/** How a request is sent on a route, and through which API of its provider. */
export interface PreparedRequest<Api extends ProviderApi = ProviderApi> {
  readonly api: Api;
  send(handler: UpstreamHandler): UpstreamCall;
  /** Makes the body, if that needs I/O; called before each attempt. A Problem if the route cannot serve the call. */
  readonly ready?: () => Promise<Problem | null>;
  /** True if the error is about something that `ready` put into the body. The body is then made again, at most once. */
  readonly outdated?: (status: number, body: Buffer) => boolean;
}

/** The attempts of a call at several models. */
export interface AttemptLog {
  readonly tried: CallAttempt[];
  attempts: number;
  /** Whether the requested model could not answer, and another one is asked. */
  elsewhere: boolean;
}

export interface CallUpstream<Api extends ProviderApi> {
  readonly model: Model;
  /** The space; its failures are counted separately. */
  readonly caller: string;
  /** The same for all turns of a conversation, which are sent to the same route; absent: any route. */
  readonly conversation?: () => string;
  /** A Problem if this route cannot serve the call; another one may. */
  prepare(route: UpstreamRoute, provider: Provider): PreparedRequest<Api> | Problem;
  /** Takes the body of the answer; called at most once. */
  open(opened: OpenedAnswer<Api>): BodySink;
  /** Present if other models may be tried: the attempts at all of them. */
  readonly log?: AttemptLog;
  /** Ends the current attempt and prevents further ones. */
  readonly cancellation: Cancellation;
  /** A line of a batch. */
  readonly asWritten?: boolean;
  /** Deadline for the whole answer, on the monotonic scale of the clock. */
  readonly untilMs: number;
  /** For the trace. */
  readonly operation: string;
  readonly trace: RequestTrace | null;
}
