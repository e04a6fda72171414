/** Google's generateContent, whole and as a stream, and the counting of tokens. */
import { answerPrompt, ContextExceeded, capToContext, hashPrompt } from '../brain/answer.ts';
import { ImageUnreadable } from '../brain/compose.ts';
import { type Answer, askedText, type Prompt } from '../brain/prompt.ts';
import { countInputTokens } from '../brain/tokens.ts';
import { type Endpoint, plainScript, type RequestHead, type Script } from '../script.ts';
import { google } from './google.ts';
import { rulesOf } from './model-rules.ts';
import { readCount, readGenerate } from './read-request.ts';
import { inputTooLong, invalid, unreadableImage } from './refusals.ts';
import { type Envelope, openEnvelope, writeBlocked, writeGenerated, writeReply } from './write-generated.ts';
import { writeContent, writeFrame, writeFrames } from './write-generated-stream.ts';

export const generateContent: Endpoint = {
  dialect: google,
  method: 'POST',
  path: '/v1beta/models/{model}:generateContent',
  streams: false,
  read: (body, request) =>
    readScript(readGenerate(body, modelOf(request), 'generateContent'), { stream: false }),
};

export const streamGenerateContent: Endpoint = {
  dialect: google,
  method: 'POST',
  path: '/v1beta/models/{model}:streamGenerateContent',
  streams: true,
  read(body, request) {
    // Google would answer with a JSON array that grows; nobody here reads that.
    if (request.query.get('alt') !== 'sse') throw invalid('The simulator streams with alt=sse only.');
    return readScript(readGenerate(body, modelOf(request), 'streamGenerateContent'), { stream: true });
  },
};

export const countTokens: Endpoint = {
  dialect: google,
  method: 'POST',
  path: '/v1beta/models/{model}:countTokens',
  streams: false,
  read(body, request) {
    const prompt = readCount(body, modelOf(request));
    const totalTokens = countInputTokens(prompt);
    const promptTokensDetails = [{ modality: 'TEXT', tokenCount: totalTokens }];
    return plainScript({
      model: prompt.model,
      asked: askedText(prompt),
      hash: hashPrompt(prompt),
      body: `${JSON.stringify({ totalTokens, promptTokensDetails }, null, 2)}\n`,
    });
  },
};

function modelOf(request: RequestHead): string {
  return request.params.model ?? '';
}

function readScript(prompt: Prompt, { stream }: { stream: boolean }): Script {
  const answer = answerOrRefuse(prompt);
  const envelope = openEnvelope(prompt.model);
  const asked = askedText(prompt);
  const about = { model: prompt.model, stream, asked, hash: hashPrompt(prompt), prompt };
  if (asked.includes('[[block]]')) return { ...about, ...blocked(answer, envelope) };
  // Newer models give their calls names, as others do.
  const named = rulesOf(prompt.model).signsCalls;
  const pictured = prompt.picture != null;
  return {
    ...about,
    body: (bill) => writeGenerated(answer, envelope, { usage: bill(answer.usage), named, pictured }),
    frames: (bill, chunks) =>
      writeFrames(answer, envelope, { usage: bill(answer.usage), chunks, named, pictured }),
    contentFrame: (text) => writeContent(text, envelope),
    usageFrame: (bill) => writeFrame(writeReply({}, envelope, bill(answer.usage))),
  };
}

function blocked(answer: Answer, envelope: Envelope): Pick<Script, 'body' | 'frames' | 'contentFrame'> {
  const usage = { ...answer.usage, outputTokens: 0, reasoningTokens: 0 };
  return {
    body: (bill) => `${JSON.stringify(writeBlocked(envelope, bill(usage)), null, 2)}\n`,
    frames: (bill) => [{ kind: 'finish', text: writeFrame(writeBlocked(envelope, bill(usage))) }],
    contentFrame: (text) => writeContent(text, envelope),
  };
}

function answerOrRefuse(prompt: Prompt): Answer {
  try {
    return answerPrompt(capToContext(prompt));
  } catch (thrown) {
    if (thrown instanceof ContextExceeded) throw inputTooLong(thrown);
    if (thrown instanceof ImageUnreadable) throw unreadableImage();
    throw thrown;
  }
}
