/** Anthropic's messages and the counting of their tokens. */
import { answerPrompt, ContextExceeded, capToContext, hashPrompt } from '../brain/answer.ts';
import { ImageUnreadable } from '../brain/compose.ts';
import { askedText, type Prompt, type Usage } from '../brain/prompt.ts';
import { countInputTokens } from '../brain/tokens.ts';
import { type Endpoint, plainScript, type RequestHead, type Script } from '../script.ts';
import { anthropic } from './anthropic.ts';
import { readCountRequest, readMessages } from './read-request.ts';
import type { Thinking } from './read-thinking.ts';
import { promptTooLong, unreadableImage } from './refusals.ts';
import { sealThinking } from './thinking.ts';
import { openEnvelope, replyOf, type ShownThinking, writeMessage } from './write-message.ts';
import { writeContent, writeDelta, writeFrames } from './write-message-stream.ts';

export const messages: Endpoint = {
  dialect: anthropic,
  method: 'POST',
  path: '/v1/messages',
  read: readScript,
};

export const countMessageTokens: Endpoint = {
  dialect: anthropic,
  method: 'POST',
  path: '/v1/messages/count_tokens',
  streams: false,
  read(body, request) {
    const prompt = readCountRequest(body, request);
    const counted = JSON.stringify({ input_tokens: countInputTokens(prompt) });
    return plainScript({
      model: prompt.model,
      asked: askedText(prompt),
      hash: hashPrompt(prompt),
      body: counted,
    });
  },
};

function readScript(body: unknown, request: RequestHead): Script {
  const read = readMessages(body, request);
  return orRefuse(() => scriptOf(capToContext(read.prompt), read));
}

function scriptOf(prompt: Prompt, read: { prompt: Prompt; stream: boolean; thinking: Thinking }): Script {
  const answer = answerPrompt(prompt);
  const asked = askedText(prompt);
  const reply = replyOf(answer, {
    thinking: shownThinking(read.thinking, answer.usage, asked),
    contextFull: prompt.outputTokensMax !== read.prompt.outputTokensMax,
  });
  const envelope = openEnvelope(prompt.model);
  return {
    model: prompt.model,
    stream: read.stream,
    asked,
    hash: hashPrompt(prompt),
    prompt,
    body: (bill) => writeMessage(reply, envelope, bill(answer.usage)),
    frames: (bill, chunks) => writeFrames(reply, envelope, { usage: bill(answer.usage), chunks }),
    contentFrame: (text) => writeContent(reply, text),
    usageFrame: (bill) => writeDelta({ stopReason: null, stopSequence: null }, bill(answer.usage)),
  };
}

function shownThinking(thinking: Thinking, usage: Usage, asked: string): ShownThinking {
  if (!thinking.on || usage.reasoningTokens === 0) return 'none';
  if (asked.includes('[[redact]]')) return { sealed: sealThinking(asked) };
  return thinking.shown ? 'shown' : 'omitted';
}

function orRefuse<T>(work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof ContextExceeded) throw promptTooLong(thrown);
    if (thrown instanceof ImageUnreadable) throw unreadableImage();
    throw thrown;
  }
}
