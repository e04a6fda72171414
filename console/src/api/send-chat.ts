/** One chat call as a person watches it: text as it arrives, and what it took. */
import type { ChatRequest } from '../../../gateway/src/contract/chat.ts';
import { SseFramer } from '../../../gateway/src/kernel/framing.ts';
import { textNow } from '../text/define-texts.ts';
import { askGateway } from './ask-gateway.ts';
import { CallFailed, failureIn } from './failure.ts';
import { type AnswerJson, addToAnswer, type ChatAnswer, emptyAnswer } from './read-answer.ts';
import { apiTexts } from './texts.ts';

export interface ChatCall {
  readonly key: string;
  readonly model: string;
  readonly prompt: string;
  readonly streams: boolean;
  readonly signal: AbortSignal;
  /** Called once, when the gateway began to answer. */
  onOpen(requestId: string | null): void;
  /** Called for every piece. */
  onAnswer(answer: ChatAnswer): void;
}

/** An image in base64 fits into one frame. */
const FRAME_CHARACTERS_MAX = 32 * 1024 * 1024;
const END_MARKER = '[DONE]';

/** Resolves when the answer is whole; an abort of the signal is thrown, and reaches the provider. */
export async function sendChat(call: ChatCall): Promise<void> {
  const { key, signal } = call;
  const response = await askGateway('/v1/chat/completions', { key, signal, body: requestOf(call) });
  call.onOpen(response.headers.get('x-request-id'));
  if (call.streams) await readStream(response, call);
  else call.onAnswer(addToAnswer(emptyAnswer, (await response.json()) as AnswerJson));
}

function requestOf({ model, prompt, streams }: ChatCall): ChatRequest {
  const messages = [{ role: 'user' as const, content: prompt }];
  return streams
    ? { model, messages, stream: true, stream_options: { include_usage: true } }
    : { model, messages };
}

async function readStream(response: Response, call: ChatCall): Promise<void> {
  let answer = emptyAnswer;
  let ended = false;
  const framer = new SseFramer({
    charactersMax: FRAME_CHARACTERS_MAX,
    onFrame: (data) => {
      if (data === END_MARKER) {
        ended = true;
        return;
      }
      const json: unknown = JSON.parse(data);
      const failure = failureIn(json);
      if (failure !== null) throw new CallFailed(failure);
      answer = addToAnswer(answer, json as AnswerJson);
    },
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const piece = await reader?.read();
    if (piece === undefined || piece.done) break;
    framer.push(piece.value);
    call.onAnswer(answer);
  }
  if (ended) return;
  throw new CallFailed({
    sentence: textNow(apiTexts, 'cutOff'),
    errorRef: response.headers.get('x-request-id'),
  });
}
