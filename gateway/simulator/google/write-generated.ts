/** Writes a neutral answer as a generateContent response. */
import { randomBase62 } from '../../src/kernel/ids.ts';
import type { Answer, Choice, Usage } from '../brain/prompt.ts';
import { totalTokens, withoutPart } from '../brain/tokens.ts';
import { signThought } from './thought-signature.ts';

/** What every piece of one reply has in common. */
export interface Envelope {
  readonly modelVersion: string;
  readonly responseId: string;
}

export function openEnvelope(model: string): Envelope {
  return { modelVersion: model, responseId: randomBase62(23) };
}

const SAFETY_RATINGS = [{ category: 'HARM_CATEGORY_DANGEROUS_CONTENT', probability: 'HIGH', blocked: true }];

export function writeGenerated(
  answer: Answer,
  envelope: Envelope,
  options: { usage: Usage | null; named: boolean; pictured: boolean },
): string {
  const candidates = answer.choices.map((choice, index) => ({
    ...writeCandidate(partsOf(choice, answer.usage, options.named), index),
    ...finishOf(choice, options),
  }));
  return `${JSON.stringify(writeReply({ candidates }, envelope, options.usage), null, 2)}\n`;
}

/** A prompt that was turned away: no candidates, but a reason. */
export function writeBlocked(envelope: Envelope, usage: Usage | null): object {
  const promptFeedback = { blockReason: 'SAFETY', safetyRatings: SAFETY_RATINGS };
  return writeReply({ promptFeedback }, envelope, usage);
}

export function writeReply(fields: object, envelope: Envelope, usage: Usage | null): object {
  return { ...fields, ...(usage === null ? {} : { usageMetadata: writeUsage(usage) }), ...envelope };
}

export function writeCandidate(parts: readonly object[], index: number): object {
  return { content: { ...(parts.length === 0 ? {} : { parts }), role: 'model' }, index };
}

/** A picture is withheld for a reason of its own, without ratings. */
export function finishOf(choice: Choice, { pictured }: { pictured: boolean }): object {
  if (choice.finish === 'content_filter') {
    return pictured
      ? { finishReason: 'IMAGE_SAFETY' }
      : { finishReason: 'SAFETY', safetyRatings: SAFETY_RATINGS };
  }
  return { finishReason: choice.finish === 'length' ? 'MAX_TOKENS' : 'STOP' };
}

/** Thoughts first, then text, then what is whole at once: calls and pictures. */
export function partsOf(choice: Choice, usage: Usage, named: boolean): object[] {
  const { reasoning } = choice;
  const text = spokenText(choice);
  return [
    ...(reasoning === '' ? [] : [{ text: reasoning, thought: true }]),
    ...(text === '' ? [] : [{ text }]),
    ...wholeParts(choice, usage, named),
  ];
}

/** Google has no refusals of their own: they are text. */
export function spokenText(choice: Choice): string {
  return choice.text + (choice.refusal ?? '');
}

export function wholeParts(choice: Choice, usage: Usage, named: boolean): object[] {
  const signed = usage.reasoningTokens > 0;
  const calls = choice.toolCalls.flatMap((call) => {
    const args = parse(call.arguments);
    return args === null ? [] : [{ name: call.name, args, ...(named ? { id: randomBase62(12) } : {}) }];
  });
  return [
    ...calls.map((functionCall, index) => ({
      functionCall,
      ...(index === 0 && signed ? { thoughtSignature: signThought(functionCall.name) } : {}),
    })),
    ...choice.images.map((png) => ({
      inlineData: { mimeType: 'image/png', data: png.toString('base64') },
    })),
  ];
}

/** The candidates' count is without the thoughts; counts of nothing are left out, as protobuf does. */
function writeUsage(usage: Usage): object {
  const candidates = withoutPart(usage.outputTokens, usage.reasoningTokens);
  const { inputTokens, cachedTokens, reasoningTokens } = usage;
  return {
    promptTokenCount: inputTokens,
    ...(candidates === 0 && inputTokens !== 0 ? {} : { candidatesTokenCount: candidates }),
    totalTokenCount: totalTokens(usage),
    ...(cachedTokens === 0 ? {} : { cachedContentTokenCount: cachedTokens }),
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: inputTokens }],
    ...(reasoningTokens === 0 ? {} : { thoughtsTokenCount: reasoningTokens }),
  };
}

/** A call that was cut short is no call. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
