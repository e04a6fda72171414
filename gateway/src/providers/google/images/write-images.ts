/** Writes an image call as a Gemini request: a prompt that may hold images and is answered with images. Pure. */
import { unknownTraits } from '../../../catalog/model-traits.ts';
import type { ImageCall, ImageFile } from '../../../images/image-call.ts';
import { Problem } from '../../../kernel/problem.ts';
import { cannotCarry, rejectUnknownFields } from '../../../text/reject-field.ts';
import { EMPTY_CALL, type InputPart } from '../../../text/text-call.ts';
import type { ImageSend } from '../../provider.ts';
import { writeGoogleRequest } from '../write-request.ts';

/** Gemini takes an aspect ratio, not a size in pixels. */
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
  rejectUnknownFields(fields, KNOWN, HARMLESS);
  if ((fields.n ?? 1) > 1) {
    throw new Problem('invalid_parameter', {
      detail: `${fields.model} generates one image per call; remove n.`,
      param: 'n',
    });
  }
  const images = call.kind === 'edit' ? call.images : [];
  if (call.kind === 'edit' && call.mask !== null) throw cannotCarry('mask', fields.model);
  const parts: InputPart[] = [...images.map(writeImage), { type: 'text', text: fields.prompt }];
  const aspect = readAspect(fields);
  const target = {
    upstreamModel,
    outputTokensMax: null,
    outputCapField: null,
    makesImages: true,
    takes: unknownTraits,
  };
  const request = writeGoogleRequest(
    { ...EMPTY_CALL, messages: [{ role: 'user', parts }] },
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
