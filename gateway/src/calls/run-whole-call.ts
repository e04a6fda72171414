/** A call that is always answered in one piece, from its hold to its settlement. What its kind decides is a `WholeKind`. */
import type { Model } from '../catalog/model.ts';
import type { CallKind } from '../contract/paid-endpoints.ts';
import type { Inline } from '../json/placeholders.ts';
import type { AdmittedCost } from '../metering/admission.ts';
import type { ImageKind } from '../pricing/price.ts';
import { SERVED_ANYWHERE } from '../pricing/price-at-most.ts';
import type { ProviderApi } from '../providers/provider.ts';
import { type Attributed, attributeCall, isBounded } from './attribute-call.ts';
import { beginCall, type CallRequest, finishCall, type StartedCall } from './begin-call.ts';
import type { CallSize } from './believable-usage.ts';
import type { CallTools } from './call-tools.ts';
import type { PromptBound } from './check-bounded.ts';
import { costAtMost } from './cost-at-most.ts';
import { roughCost } from './rough-cost.ts';
import { runWhole, type WholeCall } from './run-whole.ts';

/** A call that was checked. */
export interface WholeKind<Api extends ProviderApi>
  extends Pick<WholeCall<Api>, 'prepare' | 'read' | 'promptTexts' | 'promptTokens'> {
  readonly endpoint: CallKind;
  readonly model: Model;
  /** The name in the request. */
  readonly requested: string;
  readonly size: CallSize;
  /** Its fields, which may name an end user. */
  readonly request: object;
  readonly inline?: Inline | undefined;
  /** For a space whose limits are hard. Throws a Problem if nothing bounds the prompt. */
  bound(): PromptBound;
  /** For calls that make images: what the caller chose. */
  readonly image?: ImageKind;
  /** What needs I/O before a provider is asked. After the limits were checked, so that a rejected call needs none. */
  open?(begun: StartedCall): Promise<void>;
}

export async function runWholeCall<Api extends ProviderApi>(
  asked: CallRequest,
  of: WholeKind<Api>,
  tools: CallTools,
): Promise<void> {
  const { model, requested, endpoint, size } = of;
  const attributed = attributeCall(asked, { request: of.request, inline: of.inline }, [model.code], tools);
  const cost = costOf(asked, of, attributed);
  const begins = { model, requested, endpoint, streamed: false, cost, attributed };
  const beginning = beginCall(asked, begins, tools);
  const begun = beginning instanceof Promise ? await beginning : beginning;
  const work = async (): Promise<void> => {
    if (of.open !== undefined) await of.open(begun);
    const { prepare, read, promptTexts, promptTokens = 0 } = of;
    const call = { ...begun, prepare, read, promptTexts, promptTokens, images: 0, size, keep: null };
    await runWhole<Api>(call, tools);
  };
  await finishCall(begun, work, tools);
}

function costOf<Api extends ProviderApi>(
  { principal, startedAt: at }: CallRequest,
  kind: WholeKind<Api>,
  attributed: Attributed,
): Pick<AdmittedCost, 'atMost'> {
  const { model, size, image } = kind;
  const of = { model, principal, at, size };
  if (!isBounded(principal, attributed))
    return { atMost: () => roughCost({ ...of, ...(image !== undefined && { images: size.answers }) }) };
  const call = { ...of, fallbacks: [], prompt: kind.bound(), serve: SERVED_ANYWHERE };
  return { atMost: () => costAtMost({ ...call, ...(image !== undefined && { image }) }) };
}
