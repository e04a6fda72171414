/** What a line of a batch file asks for, to estimate what it costs. Pure. */
import type { LineFacts } from '../batch-files/check-batch-line.ts';
import type { LineSize } from '../batch-files/file-estimate.ts';
import { TOKENS_PER_IMAGE } from '../calls/counted-usage.ts';
import { ChatRequest } from '../contract/chat.ts';
import { Shape } from '../contract/check-shape.ts';
import { ResponsesRequest } from '../contract/responses.ts';
import { estimateTokens } from '../kernel/rough-tokens.ts';
import { readChatFeatures, readChatPromptTexts } from '../text/formats/chat/read-features.ts';
import { readResponsesFeatures, readResponsesPrompt } from '../text/formats/responses/read-features.ts';

export interface LineParts {
  readonly texts: readonly string[];
  /** Tokens that are not in the texts. */
  readonly inputTokens: number;
  readonly answers: number;
  /** The cap of each answer; null: it has none. */
  readonly outputTokensMax: number | null;
}

const chatShape = new Shape(ChatRequest);
const responsesShape = new Shape(ResponsesRequest);

export function lineParts({ endpoint, body }: Pick<LineFacts, 'endpoint' | 'body'>): LineParts {
  if (endpoint === 'embeddings') return { ...readInput(body.input), answers: 0, outputTokensMax: 0 };
  if (endpoint === 'chat' && chatShape.matches(body))
    return promptParts(readChatPromptTexts(body), readChatFeatures(body));
  if (endpoint === 'responses' && responsesShape.matches(body))
    return promptParts(readResponsesPrompt(body), readResponsesFeatures(body));
  // It fails when it runs; its text is the best estimate there is.
  return { texts: [JSON.stringify(body)], inputTokens: 0, answers: 1, outputTokensMax: null };
}

/** The same, with tokens estimated from characters: a file is too long to be counted while it is uploaded. */
export function roughLineSize(facts: Pick<LineFacts, 'endpoint' | 'body'>): LineSize {
  const { texts, inputTokens, answers, outputTokensMax } = lineParts(facts);
  return { inputTokens: inputTokens + estimateTokens(texts), answers, outputTokensMax };
}

function promptParts(
  texts: readonly string[],
  { images, answers, outputTokensMax }: { images: number; answers: number; outputTokensMax: number | null },
): LineParts {
  return { texts, inputTokens: images * TOKENS_PER_IMAGE, answers, outputTokensMax };
}

/** A text, token ids, or a list of either. */
function readInput(input: unknown): Pick<LineParts, 'texts' | 'inputTokens'> {
  if (typeof input === 'string') return { texts: [input], inputTokens: 0 };
  if (!Array.isArray(input)) return { texts: [], inputTokens: 1 };
  const parts = input.map(readInput);
  return {
    texts: parts.flatMap(({ texts }) => texts),
    inputTokens: parts.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
  };
}
