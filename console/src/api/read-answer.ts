/** Puts an answer together from what the gateway sends, frame by frame or whole. Pure. */
import type { EstimatedCost } from '../../../gateway/src/contract/cost.ts';

export interface ChatAnswer {
  readonly text: string;
  /** `data:` addresses. */
  readonly images: readonly string[];
  readonly finishReason: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** The decimal string of the gateway, never a number; null is "not known". */
  readonly cost: string | null;
}

export const emptyAnswer: ChatAnswer = {
  text: '',
  images: [],
  finishReason: null,
  inputTokens: null,
  outputTokens: null,
  cost: null,
};

/** What we read of a completion or of a chunk of one; both have the same form but for one name. */
export interface AnswerJson {
  readonly choices?: ReadonlyArray<{
    readonly delta?: MessageJson;
    readonly message?: MessageJson;
    readonly finish_reason?: string | null;
  }>;
  readonly usage?: { readonly prompt_tokens?: number; readonly completion_tokens?: number } | null;
  readonly estimated_cost?: EstimatedCost;
}

interface MessageJson {
  readonly content?: string | null;
  readonly refusal?: string | null;
  readonly images?: ReadonlyArray<{ readonly image_url?: { readonly url?: string } }>;
}

export function addToAnswer(answer: ChatAnswer, json: AnswerJson): ChatAnswer {
  const choice = json.choices?.[0];
  const message = choice?.delta ?? choice?.message;
  const images = message?.images?.flatMap(({ image_url: image }) => shownImage(image?.url)) ?? [];
  return {
    text: answer.text + (message?.content ?? '') + (message?.refusal ?? ''),
    images: images.length === 0 ? answer.images : [...answer.images, ...images],
    finishReason: choice?.finish_reason ?? answer.finishReason,
    inputTokens: json.usage?.prompt_tokens ?? answer.inputTokens,
    outputTokens: json.usage?.completion_tokens ?? answer.outputTokens,
    cost: json.estimated_cost?.amount ?? answer.cost,
  };
}

/** The page loads nothing from elsewhere, so an image that is only an address is not shown. */
function shownImage(url: string | undefined): string[] {
  return url?.startsWith('data:image/') ? [url] : [];
}
