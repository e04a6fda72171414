/** Calls for images through Gemini's own road: a prompt with pictures in it, answered with pictures. Pure. */
import { estimatedCost } from '../../contract/cost.ts';
import type { ImageCall, ImageFile } from '../../images/image-call.ts';
import { listOf, objectOf } from '../../kernel/json/read-json.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Body } from '../../net/collect-body.ts';
import { NO_TOKENS, plausibleUsage, type Usage } from '../../pricing/usage.ts';
import { cannotCarry, refuseUnknown } from '../../text/refuse.ts';
import type { InputPart, TextCall } from '../../text/text-call.ts';
import type { AnswerEnd, WholeAnswer } from '../../text/text-format.ts';
import type { Finish } from '../../text/text-result.ts';
import type { ImageAnswerContext, ImageSend } from '../provider.ts';
import { GoogleStreamReader } from './read-stream.ts';
import { writeGoogleRequest } from './write-request.ts';

/** Gemini is told the shape of an image, not how large it shall be. */
const ASPECTS: Readonly<Record<string, string>> = {
  '1024x1024': '1:1',
  '1536x1024': '3:2',
  '1024x1536': '2:3',
};

const KNOWN = new Set(['model', 'prompt', 'n', 'size', 'response_format', 'stream']);
const isAuto = (value: unknown): boolean => value === 'auto';
const HARMLESS = { quality: isAuto, background: isAuto, moderation: isAuto };

export function writeGoogleImages(call: ImageCall, upstreamModel: string): ImageSend {
  const { fields } = call;
  refuseUnknown(fields, KNOWN, HARMLESS);
  if ((fields.n ?? 1) > 1) {
    throw new Problem('invalid_parameter', {
      detail: `${fields.model} makes one image at a time; leave n out.`,
      param: 'n',
    });
  }
  const images = call.kind === 'edit' ? call.images : [];
  if (call.kind === 'edit' && call.mask !== null) throw cannotCarry('mask', fields.model);
  const parts: InputPart[] = [...images.map(writeImage), { type: 'text', text: fields.prompt }];
  const aspect = readAspect(fields);
  const target = { upstreamModel, outputTokensMax: null, outputCapField: null, makesImages: true };
  const request = writeGoogleRequest(
    { ...SILENT_CALL, messages: [{ role: 'user', parts }] },
    { ...target, ...(aspect !== null && { imageAspect: aspect }) },
  );
  const body = Buffer.from(JSON.stringify(request));
  return { kind: call.kind, upstreamModel, body, contentType: 'application/json' };
}

function readAspect({ size, model }: ImageCall['fields']): string | null {
  if (size === undefined || size === null || size === 'auto') return null;
  const aspect = ASPECTS[size];
  if (aspect !== undefined) return aspect;
  throw new Problem('invalid_parameter', {
    detail: `size must be one of ${Object.keys(ASPECTS).join(', ')}, auto for ${model}.`,
    param: 'size',
  });
}

function writeImage({ mediaType, bytes }: ImageFile): InputPart {
  return {
    type: 'image',
    source: { kind: 'data', mediaType, base64: bytes.toString('base64') },
    detail: null,
  };
}

const SILENT_CALL: Omit<TextCall, 'messages'> = {
  stream: false,
  tools: [],
  toolChoice: null,
  parallelTools: null,
  responseFormat: { type: 'text' },
  outputTokensMax: null,
  temperature: null,
  topP: null,
  topK: null,
  stop: [],
  answers: 1,
  reasoning: null,
  seed: null,
  frequencyPenalty: null,
  presencePenalty: null,
  verbosity: null,
  user: null,
};

export function readGoogleImages(body: Body, context: ImageAnswerContext): WholeAnswer | Problem | null {
  const images: string[] = [];
  const finishes: Finish[] = [];
  const reader = new GoogleStreamReader(context.callId, (event) => {
    if (event.type === 'image') images.push(event.base64);
    else if (event.type === 'finish') finishes.push(event.finish);
  });
  reader.frame(body.whole().toString('utf8'));
  const [finish] = finishes;
  if (!reader.complete || finish === undefined) return null;
  if (images.length === 0) {
    return finish.reason === 'content_filter'
      ? new Problem('content_blocked')
      : new Problem('upstream_error', { detail: 'The provider answered without an image.' });
  }
  const usage = readUsage(reader);
  return {
    usage: usage ?? NO_TOKENS,
    images: images.length,
    imageKind: context.asked,
    finishReason: finish.raw,
    texts: () => [],
    body: (end) => showAnswer(images, { usage, createdSeconds: context.createdSeconds }, end),
  };
}

/** Which tokens of the prompt are images is told apart, by modality. */
function readUsage({ usage, counts }: GoogleStreamReader): Usage | null {
  if (usage === null) return null;
  const details = listOf(objectOf(counts).promptTokensDetails);
  const imageInputTokens = details
    .filter(({ modality }) => modality === 'IMAGE')
    .reduce((sum, { tokenCount }) => sum + Number(tokenCount), 0);
  const detailed = { ...usage, imageInputTokens };
  return plausibleUsage(detailed) ? detailed : usage;
}

/** Base64 and names are ASCII, so the text is its own bytes. */
function showAnswer(
  images: readonly string[],
  { usage, createdSeconds }: { usage: Usage | null; createdSeconds: number },
  { cost }: AnswerEnd,
): string {
  return JSON.stringify({
    created: createdSeconds,
    data: images.map((base64) => ({ b64_json: base64 })),
    ...(usage !== null && { usage: writeUsage(usage) }),
    estimated_cost: estimatedCost(cost),
  });
}

function writeUsage({ inputTokens, outputTokens, imageInputTokens = 0 }: Usage): object {
  const [text_tokens, image_tokens] = [inputTokens - imageInputTokens, imageInputTokens];
  return {
    input_tokens: inputTokens,
    input_tokens_details: { text_tokens, image_tokens },
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
}
