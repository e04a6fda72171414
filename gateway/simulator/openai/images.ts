/** OpenAI's images: drawn from a prompt, or over other images. */
import { systemClock, unixSecondsOf } from '../../src/kernel/time.ts';
import { chooseColour } from '../brain/colours.ts';
import { paintPrompt } from '../brain/paint-prompt.ts';
import type { Usage } from '../brain/prompt.ts';
import { countTokens, IMAGE_INPUT_TOKENS, totalTokens, withoutPart } from '../brain/tokens.ts';
import { hashText, rollDice } from '../brain/words.ts';
import { type Endpoint, plainScript, type Script } from '../script.ts';
import { openAi } from './open-ai.ts';
import { readEdit } from './read-image-edit.ts';
import { type ImagesRequest, readGeneration } from './read-images.ts';

export const imageGenerations: Endpoint = {
  dialect: openAi,
  method: 'POST',
  path: '/v1/images/generations',
  streams: false,
  read: (body) => readScript(readGeneration(body)),
};

export const imageEdits: Endpoint = {
  dialect: openAi,
  method: 'POST',
  path: '/v1/images/edits',
  streams: false,
  read: (body, request) => readScript(readEdit(body, request.headers)),
};

/** By the quality, for a square and for the larger sizes. */
const OUTPUT_TOKENS: Readonly<Record<string, readonly [number, number]>> = {
  low: [272, 408],
  medium: [1_056, 1_584],
  high: [4_160, 6_240],
};

function readScript(request: ImagesRequest): Script {
  const { model, prompt, count, size, quality, images } = request;
  const [square, larger] = OUTPUT_TOKENS[quality] as readonly [number, number];
  const usage: Usage = {
    inputTokens: countTokens(prompt) + images.length * IMAGE_INPUT_TOKENS,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: count * (size === '1024x1024' ? square : larger),
    reasoningTokens: 0,
  };
  return plainScript({
    model,
    asked: prompt,
    hash: hashText(prompt),
    body: (bill) => writeImages(request, bill(usage)),
  });
}

function writeImages(request: ImagesRequest, usage: Usage | null): string {
  const { size, quality, transparent, images } = request;
  return JSON.stringify({
    created: unixSecondsOf(systemClock.now()),
    data: Array.from({ length: request.count }, (_, index) => ({
      b64_json: paint(request, index).toString('base64'),
    })),
    background: transparent ? 'transparent' : 'opaque',
    output_format: 'png',
    quality,
    size,
    ...(usage === null ? {} : { usage: writeUsage(usage, images.length * IMAGE_INPUT_TOKENS) }),
  });
}

/** Those after the first are numbered, so that no two are the same. */
function paint(request: ImagesRequest, index: number): Buffer {
  const { prompt, size, transparent, under } = request;
  const [width = 0, height = 0] = size.split('x').map(Number);
  const colour = chooseColour(prompt, rollDice(hashText(prompt) + index));
  const shown = index === 0 ? prompt : `${prompt} #${index + 1}`;
  return paintPrompt(shown, { width, height, colour, transparent, under });
}

function writeUsage(usage: Usage, imageTokens: number): object {
  return {
    total_tokens: totalTokens(usage),
    input_tokens: usage.inputTokens,
    input_tokens_details: {
      text_tokens: withoutPart(usage.inputTokens, imageTokens),
      image_tokens: imageTokens,
    },
    output_tokens: usage.outputTokens,
  };
}
