/** What every kind of call runs with. */
import type { Catalog } from '../catalog/catalog.ts';
import type { Model } from '../catalog/model.ts';
import type { ByteBudget } from '../memory/byte-budget.ts';
import type { Attributions } from '../metering/attribution/attributions.ts';
import type { UpstreamTools } from './call-upstream.ts';
import type { CallMediaTools } from './references/find-references.ts';
import type { SettleTools } from './settle-call.ts';
import type { OpenedAnswer } from './upstream-request.ts';
import type { WriteCoalescer } from './write-coalescer.ts';

export interface CallTools extends UpstreamTools, SettleTools {
  readonly coalescer: WriteCoalescer;
  /** Called with 1 when a stream starts to wait for its caller, and with -1 when it continues. */
  readonly onPaused: (change: 1 | -1) => void;
  readonly catalog: () => Pick<Catalog, 'find' | 'seen'>;
  /** Limits how many bytes calls may hold in memory. */
  readonly bytes: ByteBudget;
  readonly attributions: Pick<Attributions, 'bounded'>;
  /** Finds references and checks URLs. */
  readonly media: CallMediaTools;
  readonly limits: {
    readonly messagesMax: number;
    readonly upstreamBodyBytesMax: number;
    /** From the start of a call to the end of its answer, including all attempts. */
    readonly callTotalMs: number;
    readonly streamTotalMs: number;
  };
}

/** `model`: the one that answered. */
export function replyHeaders(opened: OpenedAnswer, model: Model, overheadMs: number): Record<string, string> {
  const headers: Record<string, string> = {
    'x-tollgate-overhead-ms': overheadMs.toFixed(2),
    'x-tollgate-model': model.code,
  };
  if (opened.provider.simulated) headers['x-tollgate-simulated'] = 'true';
  return headers;
}
