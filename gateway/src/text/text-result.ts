/** What a model answered, independent of any format. */
import type { Usage, UsageDetails } from '../pricing/usage.ts';
import type { OutputPart } from './text-call.ts';

export interface TextResult {
  readonly answers: readonly TextAnswer[];
  readonly usage: Usage | null;
  /** Without usage: the tools that the provider ran and the tier, as far as the answer shows them. */
  readonly seenDetails?: UsageDetails | undefined;
}

export interface TextAnswer {
  readonly parts: readonly OutputPart[];
  readonly finish: Finish;
}

export type FinishReason = 'stop' | 'stop_sequence' | 'length' | 'tool_calls' | 'content_filter';

export interface Finish {
  readonly reason: FinishReason;
  /** The stop sequence that ended it, if the provider reports it. */
  readonly stopSequence: string | null;
  /** The provider's own value, for the call record. */
  readonly raw: string;
}

/** All text of the model, for counting tokens if the provider sent no usage. */
export function resultTexts(result: TextResult): string[] {
  return result.answers.flatMap((answer) => answer.parts.flatMap(partTexts));
}

function partTexts(part: OutputPart): string[] {
  if (part.type === 'tool_call') return [part.name, part.arguments];
  return part.type === 'image' || part.text === '' ? [] : [part.text];
}
