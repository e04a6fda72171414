/** Reads a request to edit images, from a form or from JSON, into one shape. */
import { isUtf8 } from 'node:buffer';
import { Shape } from '../contract/check-shape.ts';
import { EDITED_IMAGES_MAX, ImageEditFields, type ImageEditRequest } from '../contract/images.ts';
import { checkImageFile } from '../images/check-image-file.ts';
import type {
  ExpectedImage,
  ImageAddress,
  ImageEdit,
  ImageFile,
  RequestedEdit,
} from '../images/image-call.ts';
import { type ImageType, imageTypes } from '../images/image-type.ts';
import { Problem } from '../kernel/problem.ts';
import { readMediaUrl } from '../text/read-media.ts';
import { shown } from './multipart-parser.ts';
import type { FormPart } from './read-multipart.ts';

const fieldsShape = new Shape(ImageEditFields);
const fieldNames = Object.keys(ImageEditFields.properties);
const NUMBERS = ['n', 'output_compression'];
/** A mask marks the area to edit by transparency, so its format must have an alpha channel. */
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
      images.push(checkImageFile(bytes, { param: 'image', types: imageTypes }));
    } else if (name === 'mask') {
      if (mask !== null) throw sentTwice(name);
      mask = checkImageFile(bytes, { param: 'mask', types: MASK_TYPES });
    } else {
      if (!fieldNames.includes(name)) throw refusal(name, `${shown(name)} is not a known field.`);
      if (Object.hasOwn(fields, name)) throw sentTwice(name);
      fields[name] = fieldValue(name, bytes);
    }
  }
  const checked = fieldsShape.check(fields);
  if (images.length === 0) throw refusal('image', 'image is required. Send at least one file.');
  return { kind: 'edit', fields: checked, images, mask };
}

export function readEditJson(request: ImageEditRequest): RequestedEdit {
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

/** A form has only texts; numbers and booleans are converted before they are checked. */
function fieldValue(name: string, bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw refusal(name, `${name} is not valid UTF-8.`);
  const text = bytes.toString('utf8');
  if (NUMBERS.includes(name) && /^-?\d{1,9}$/.test(text)) return Number(text);
  if (name === 'stream') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}

function addressedFile(url: string, wanted: ExpectedImage): ImageFile | ImageAddress {
  const { param } = wanted;
  const source = readMediaUrl(url, param);
  if (source.kind === 'url') return { ...wanted, url };
  const { base64 } = source;
  const bytes = Buffer.from(base64, 'base64');
  // The decoder skips invalid characters, so the result is then shorter than expected.
  if (bytes.length !== Buffer.byteLength(base64, 'base64')) {
    throw refusal(param, `${param} is not valid base64.`);
  }
  return checkImageFile(bytes, wanted);
}

function sentTwice(name: string): Problem {
  return refusal(name, `${name} must not be sent twice.`);
}

function refusal(param: string, detail: string): Problem {
  return new Problem('invalid_parameter', { detail, param: param.slice(0, 100) });
}
