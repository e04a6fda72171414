/** Bedrock's Converse, whole and as a stream. */
import { answerPrompt, ContextExceeded, capToContext, hashPrompt } from '../brain/answer.ts';
import { ImageUnreadable } from '../brain/compose.ts';
import { type Answer, askedText, type Prompt } from '../brain/prompt.ts';
import type { Endpoint, RequestHead, Script } from '../script.ts';
import { bedrock } from './bedrock.ts';
import { readConverse } from './read-converse.ts';
import { promptTooLong, unreadableImage } from './refusals.ts';
import { replyOf, writeConverse } from './write-converse.ts';
import { writeContent, writeFrames } from './write-converse-stream.ts';

export const converse: Endpoint = endpoint('converse', false);
export const converseStream: Endpoint = endpoint('converse-stream', true);

function endpoint(name: string, stream: boolean): Endpoint {
  return {
    dialect: bedrock,
    method: 'POST',
    path: `/model/{model}/${name}`,
    streams: stream,
    read: (body, request) => readScript(body, request, { stream }),
  };
}

function readScript(body: unknown, request: RequestHead, { stream }: { stream: boolean }): Script {
  const prompt = readConverse(body, request.params.model ?? '');
  const answer = answerOrRefuse(prompt);
  const reply = replyOf(answer, prompt);
  return {
    model: prompt.model,
    stream,
    asked: askedText(prompt),
    hash: hashPrompt(prompt),
    prompt,
    body: (bill) => writeConverse(reply, bill(answer.usage)),
    frames: (bill, chunks) => writeFrames(reply, { usage: bill(answer.usage), chunks }),
    contentFrame: writeContent,
  };
}

function answerOrRefuse(prompt: Prompt): Answer {
  try {
    return answerPrompt(capToContext(prompt));
  } catch (thrown) {
    if (thrown instanceof ContextExceeded) throw promptTooLong(thrown);
    if (thrown instanceof ImageUnreadable) throw unreadableImage();
    throw thrown;
  }
}
