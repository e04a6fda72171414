/** What a model answered, in the words of no format. */
import type { Usage } from '../pricing/usage.ts';
import type { OutputPart } from './text-call.ts';

export interface TextResult {
  readonly answers: readonly TextAnswer[];
  readonly usage: Usage | null;
}

export interface TextAnswer {
  readonly parts: readonly OutputPart[];
  readonly finish: Finish;
}

export type FinishReason = 'stop' | 'stop_sequence' | 'length' | 'tool_calls' | 'content_filter';

export interface Finish {
  readonly reason: FinishReason;
  /** Which sequence stopped it, where the provider tells. */
  readonly stopSequence: string | null;
  /** As the provider wrote it; kept in the call record. */
  readonly raw: string;
}

/** Everything the model wrote, for counting where the provider did not. */
export function resultTexts(result: TextResult): string[] {
  return result.answers.flatMap((answer) => answer.parts.flatMap(partTexts));
}

function partTexts(part: OutputPart): string[] {
  if (part.type === 'tool_call') return [part.name, part.arguments];
  return part.type === 'image' || part.text === '' ? [] : [part.text];
}
