/** OpenAI's Responses API: reads the request, asks the brain, writes the reply. It keeps nothing. */
import { systemClock, unixSecondsOf } from '../../src/kernel/time.ts';
import { answerPrompt, ContextExceeded, hashPrompt } from '../brain/answer.ts';
import { ImageUnreadable } from '../brain/compose.ts';
import { type Answer, askedText, type Prompt } from '../brain/prompt.ts';
import type { Endpoint, Script } from '../script.ts';
import { openAi } from './open-ai.ts';
import { readResponses } from './read-responses.ts';
import { unreadableImage } from './refusals.ts';
import { inputTooLong } from './responses-refusals.ts';
import { draftResponse, writeEnd } from './write-responses.ts';
import { ResponsesStreamWriter, writeErrorEvent } from './write-responses-stream.ts';

export const responses: Endpoint = {
  // Its streams tell their errors in another way than those of chat.
  dialect: { ...openAi, refusalFrame: writeErrorEvent },
  method: 'POST',
  path: '/v1/responses',
  read: readScript,
};

function readScript(body: unknown): Script {
  const request = readResponses(body);
  const { prompt, stream } = request;
  const answer = answerOrRefuse(prompt);
  const draft = draftResponse(request, answer, unixSecondsOf(systemClock.now()));
  return {
    model: prompt.model,
    stream,
    asked: askedText(prompt),
    hash: hashPrompt(prompt),
    prompt,
    body: (bill) => `${JSON.stringify(writeEnd(draft, bill(answer.usage)), null, 2)}\n`,
    frames: (bill, chunks) => new ResponsesStreamWriter(draft, chunks).writeFrames(bill(answer.usage)),
    contentFrame: (text) => new ResponsesStreamWriter(draft, null).contentFrame(text),
  };
}

function answerOrRefuse(prompt: Prompt): Answer {
  try {
    return answerPrompt(prompt);
  } catch (thrown) {
    if (thrown instanceof ContextExceeded) throw inputTooLong();
    if (thrown instanceof ImageUnreadable) throw unreadableImage();
    throw thrown;
  }
}
