/** Reads the images of a Gemini answer and writes them in the format of `/v1/images`. Pure. */
import { estimatedCost } from '../../../contract/cost.ts';
import { Problem } from '../../../kernel/problem.ts';
import { NO_TOKENS, type Usage } from '../../../pricing/usage.ts';
import type { AnswerEnd, WholeAnswer } from '../../../text/text-format.ts';
import type { Finish } from '../../../text/text-result.ts';
import type { AnswerBody, ImageAnswerContext } from '../../provider.ts';
import { GoogleStreamReader } from '../read-stream.ts';

export function readGoogleImages(
  body: AnswerBody,
  context: ImageAnswerContext,
): WholeAnswer | Problem | null {
  const images: string[] = [];
  const finishes: Finish[] = [];
  const reader = new GoogleStreamReader(context.callId, (event) => {
    if (event.type === 'image') images.push(event.base64);
    else if (event.type === 'finish') finishes.push(event.finish);
  });
  reader.frame(body.whole().toString('utf8'));
  const [finish] = finishes;
  if (!reader.complete || finish === undefined) return null;
  if (images.length === 0) {
    return finish.reason === 'content_filter'
      ? new Problem('content_blocked')
      : new Problem('upstream_error', { detail: "The provider's answer has no image." });
  }
  const usage = readUsage(reader);
  return {
    usage: usage ?? NO_TOKENS,
    images: images.length,
    imageKind: context.asked,
    finishReason: finish.raw,
    texts: () => [],
    body: (end) => showAnswer(images, { usage, createdSeconds: context.createdSeconds }, end),
  };
}

/** If the answer does not say so, what was made are images. */
function readUsage({ usage }: GoogleStreamReader): Usage | null {
  if (usage === null || usage.details?.imageOutputTokens !== undefined) return usage;
  const imageOutputTokens = usage.outputTokens - usage.reasoningTokens;
  return imageOutputTokens === 0 ? usage : { ...usage, details: { ...usage.details, imageOutputTokens } };
}

/** Base64 and field names are ASCII, so the text needs no encoding. */
function showAnswer(
  images: readonly string[],
  { usage, createdSeconds }: { usage: Usage | null; createdSeconds: number },
  { cost }: AnswerEnd,
): string {
  return JSON.stringify({
    created: createdSeconds,
    data: images.map((base64) => ({ b64_json: base64 })),
    ...(usage !== null && { usage: writeUsage(usage) }),
    estimated_cost: estimatedCost(cost),
  });
}

function writeUsage({ inputTokens, outputTokens, details }: Usage): object {
  const imageInputTokens = details?.imageInputTokens ?? 0;
  const [text_tokens, image_tokens] = [inputTokens - imageInputTokens, imageInputTokens];
  return {
    input_tokens: inputTokens,
    input_tokens_details: { text_tokens, image_tokens },
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
}
