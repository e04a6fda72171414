/** OpenAI's chat completions: reads the request, asks the brain, writes the reply. */
import { systemClock, unixSecondsOf } from '../../src/kernel/time.ts';
import { answerPrompt, ContextExceeded, hashPrompt } from '../brain/answer.ts';
import { ImageUnreadable } from '../brain/compose.ts';
import { type Answer, askedText, type Prompt } from '../brain/prompt.ts';
import type { Endpoint, Script } from '../script.ts';
import { openAi } from './open-ai.ts';
import { readChat } from './read-chat.ts';
import { contextExceeded, unreadableImage } from './refusals.ts';
import { openEnvelope, writeChat } from './write-chat.ts';
import { ChatStreamWriter } from './write-chat-stream.ts';

export const chatCompletions: Endpoint = {
  dialect: openAi,
  method: 'POST',
  path: '/v1/chat/completions',
  read: readScript,
};

function readScript(body: unknown): Script {
  const { prompt, stream, includeUsage } = readChat(body);
  const answer = answerOrRefuse(prompt);
  const envelope = openEnvelope(prompt.model, unixSecondsOf(systemClock.now()));
  return {
    model: prompt.model,
    stream,
    asked: askedText(prompt),
    hash: hashPrompt(prompt),
    prompt,
    body: (bill) => writeChat(answer, envelope, bill(answer.usage)),
    frames: (bill, chunks) =>
      new ChatStreamWriter(envelope, { includeUsage, chunks }).writeFrames(answer, bill(answer.usage)),
    contentFrame: (text) => new ChatStreamWriter(envelope, { includeUsage, chunks: null }).contentFrame(text),
  };
}

function answerOrRefuse(prompt: Prompt): Answer {
  try {
    return answerPrompt(prompt);
  } catch (thrown) {
    if (thrown instanceof ContextExceeded) throw contextExceeded(thrown);
    if (thrown instanceof ImageUnreadable) throw unreadableImage();
    throw thrown;
  }
}
