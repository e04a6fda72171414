/** Reads a request to edit images, from a form or from JSON, into one shape. */
import { isUtf8 } from 'node:buffer';
import { Shape } from '../contract/check-shape.ts';
import { EDITED_IMAGES_MAX, ImageEditFields, type ImageEditRequest } from '../contract/images.ts';
import { Problem } from '../kernel/problem.ts';
import type { ImageEdit, ImageFile } from '../text/images/image-call.ts';
import { type ImageType, imageTypes, sniffImage } from '../text/images/sniff-image.ts';
import { readMediaUrl } from '../text/read-media.ts';
import { shown } from './multipart-parser.ts';
import type { FormPart } from './read-multipart.ts';

const fieldsShape = new Shape(ImageEditFields);
const fieldNames = Object.keys(ImageEditFields.properties);
const NUMBERS = ['n', 'output_compression'];
/** What is cut away must be seen, so a mask has an alpha channel. */
const MASK_TYPES: readonly ImageType[] = ['image/png'];

export function readEditForm(parts: readonly FormPart[]): ImageEdit {
  const fields: Record<string, unknown> = {};
  const images: ImageFile[] = [];
  let mask: ImageFile | null = null;
  for (const { name, bytes } of parts) {
    if (name === 'image' || name === 'image[]') {
      if (images.length >= EDITED_IMAGES_MAX) {
        throw refusal('image', `image must not be sent more than ${EDITED_IMAGES_MAX} times.`);
      }
      images.push(imageFile(bytes, { param: 'image', types: imageTypes }));
    } else if (name === 'mask') {
      if (mask !== null) throw sentTwice(name);
      mask = imageFile(bytes, { param: 'mask', types: MASK_TYPES });
    } else {
      if (!fieldNames.includes(name)) throw refusal(name, `${shown(name)} is not a known field.`);
      if (Object.hasOwn(fields, name)) throw sentTwice(name);
      fields[name] = fieldValue(name, bytes);
    }
  }
  const checked = fieldsShape.check(fields);
  if (images.length === 0) throw refusal('image', 'image is required: send at least one file.');
  return { kind: 'edit', fields: checked, images, mask };
}

export function readEditJson(request: ImageEditRequest): ImageEdit {
  const { images, mask, ...fields } = request;
  return {
    kind: 'edit',
    fields,
    images: images.map((image, i) =>
      addressedFile(image.image_url, { param: `images[${i}].image_url`, types: imageTypes }),
    ),
    mask: mask ? addressedFile(mask.image_url, { param: 'mask.image_url', types: MASK_TYPES }) : null,
  };
}

/** A form has only texts; those that should be something else are made so before they are checked. */
function fieldValue(name: string, bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw refusal(name, `${name} is not valid UTF-8.`);
  const text = bytes.toString('utf8');
  if (NUMBERS.includes(name) && /^-?\d{1,9}$/.test(text)) return Number(text);
  if (name === 'stream') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}

interface Wanted {
  readonly param: string;
  readonly types: readonly ImageType[];
}

function addressedFile(url: string, wanted: Wanted): ImageFile {
  const { param } = wanted;
  if (/^svc-[a-z]+:/i.test(url)) {
    throw refusal(param, `${param} cannot be a reference yet; send a data URL: data:image/png;base64,….`);
  }
  const source = readMediaUrl(url, param);
  if (source.kind === 'url') {
    throw refusal(param, `${param} cannot be an address; send a data URL: data:image/png;base64,….`);
  }
  const { base64 } = source;
  const bytes = Buffer.from(base64, 'base64');
  // The decoder skips what is not base64, and then there is less than there should be.
  if (bytes.length !== Buffer.byteLength(base64, 'base64')) {
    throw refusal(param, `${param} is not valid base64.`);
  }
  return imageFile(bytes, wanted);
}

function imageFile(bytes: Buffer, { param, types }: Wanted): ImageFile {
  const mediaType = sniffImage(bytes);
  if (mediaType !== null && types.includes(mediaType)) return { mediaType, bytes };
  const names = types.map((type) => type.replace('image/', '').toUpperCase()).join(' or ');
  const what = bytes.length === 0 ? 'is empty' : 'is something else';
  throw refusal(param, `${param} must be a ${names} picture; what was sent ${what}.`);
}

function sentTwice(name: string): Problem {
  return refusal(name, `${name} must not be sent twice.`);
}

function refusal(param: string, detail: string): Problem {
  return new Problem('invalid_parameter', { detail, param: param.slice(0, 100) });
}
