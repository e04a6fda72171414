/** Sends one request of the playground and reads its answer as it arrives. */
import { SseFramer } from '../../../../gateway/src/kernel/framing.ts';
import { askGateway } from '../../api/ask-gateway.ts';
import { CallFailed, type Failure, failureIn } from '../../api/failure.ts';
import { apiTexts } from '../../api/texts.ts';
import { textNow } from '../../text/define-texts.ts';
import { modeCalls } from './mode-calls.ts';
import { noPlayAnswer, type PlayAnswer, type PlayJson, spent } from './read-play.ts';
import type { PlayRequest } from './write-request.ts';

interface Sending {
  readonly key: string;
  readonly request: PlayRequest;
  readonly signal: AbortSignal;
  onOpen(requestId: string | null): void;
  onAnswer(answer: PlayAnswer): void;
}

/** An image in base64 fits into one frame. */
const FRAME_CHARACTERS_MAX = 32 * 1024 * 1024;
const END_MARKER = '[DONE]';

/** Resolves when the answer is whole; an abort of the signal is thrown, and reaches the provider. */
export async function sendRequest(sending: Sending): Promise<void> {
  const { key, request, signal } = sending;
  const { path, headers, body, mode } = request;
  const response = await askGateway(path, { key, signal, body, headers });
  const requestId = response.headers.get('x-request-id');
  sending.onOpen(requestId);
  if (!request.streams) {
    const whole = (await response.json()) as PlayJson;
    sending.onAnswer({ ...modeCalls[mode].read(whole), ...spent(noPlayAnswer, whole), ended: true });
    return;
  }
  const answer = await readFrames(response, sending);
  if (answer.ended) return;
  throw new CallFailed({ sentence: textNow(apiTexts, 'cutOff'), errorRef: requestId });
}

async function readFrames(response: Response, { request, onAnswer }: Sending): Promise<PlayAnswer> {
  let answer = noPlayAnswer;
  const framer = new SseFramer({
    charactersMax: FRAME_CHARACTERS_MAX,
    onFrame: (data) => {
      if (data === END_MARKER) {
        answer = { ...answer, ended: true };
        return;
      }
      const json: unknown = JSON.parse(data);
      const failure = failureIn(json) ?? failureOfFrame(json);
      if (failure !== null) throw new CallFailed(failure);
      answer = modeCalls[request.mode].add?.(answer, json as PlayJson) ?? answer;
    },
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const piece = await reader?.read();
    if (piece === undefined || piece.done) return answer;
    framer.push(piece.value);
    onAnswer(answer);
  }
}

/** The responses and messages formats say in their own frames that a stream failed. */
function failureOfFrame(json: unknown): Failure | null {
  const { type, error, response } = json as FailedFrame;
  const failed = type === 'error' ? error : type === 'response.failed' ? response?.error : null;
  if (failed === null || failed === undefined) return null;
  return { sentence: failed.message ?? String(type), errorRef: failed.error_ref ?? null };
}

interface FailedFrame {
  readonly type?: string;
  readonly error?: { message?: string; error_ref?: string };
  readonly response?: { error?: { message?: string; error_ref?: string } };
}
