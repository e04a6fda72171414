/** Reads a request to change images: a form with files. */
import { isImage } from '../brain/is-image.ts';
import { decodePng } from '../brain/png.ts';
import { oneHeader, type RequestHeaders } from '../dialect.ts';
import { Form, type FormPart, isMultipart } from '../multipart.ts';
import {
  notForm,
  tooManyImages,
  unknownMediaType,
  unreadableForm,
  unreadableImageFile,
  unsupportedMediaType,
} from './images-refusals.ts';
import { readOne } from './read-fields.ts';
import { type ImagesRequest, readFields } from './read-images.ts';
import { missing, wrongType } from './refusals.ts';
import { unknownParameter } from './responses-refusals.ts';

const FIELDS =
  'model prompt n size quality background output_format output_compression moderation user input_fidelity'.split(
    ' ',
  );
const NUMBERS = ['n', 'output_compression'];
const IMAGES_MAX = 16;

const TYPES = ['image/jpeg', 'image/png', 'image/webp'];

export function readEdit(body: unknown, headers: RequestHeaders): ImagesRequest {
  const type = oneHeader(headers, 'content-type') ?? '';
  if (!isMultipart(type)) throw notForm(type);
  if (!(body instanceof Form)) throw unreadableForm();
  const fields = fieldsOf(body);
  readOne(fields, 'input_fidelity', ['high', 'low']);
  const read = readFields(fields, FIELDS);
  const images = body.files('image', 'image[]');
  if (images.length === 0) throw missing('image');
  if (images.length > IMAGES_MAX) throw tooManyImages(IMAGES_MAX, images.length);
  images.forEach((image, index) => {
    checkImage(image, index, TYPES);
  });
  body.files('mask').forEach((mask, index) => {
    checkImage(mask, index, ['image/png']);
  });
  const data = images.map((image) => image.data);
  return { ...read, images: data, under: decodePng(data[0] as Buffer) };
}

/** The fields by their names, with numbers where numbers belong. */
function fieldsOf(form: Form): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const { name, filename, data } of form.parts) {
    if (filename !== null) {
      if (!['image', 'image[]', 'mask'].includes(name)) throw unknownParameter(name);
      continue;
    }
    if (name === 'image' || name === 'image[]' || name === 'mask') {
      throw wrongType(name, 'one of an array of files or file, but got a string instead');
    }
    const text = data.toString('utf8');
    fields[name] = NUMBERS.includes(name) && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
  }
  return fields;
}

/** What the sender says it is must be supported, and it must be what the sender says. */
function checkImage({ name, mediaType, data }: FormPart, index: number, supported: readonly string[]): void {
  const param = name.replace('[]', '');
  if (mediaType === null) throw unknownMediaType(param);
  if (!supported.includes(mediaType)) throw unsupportedMediaType(param, mediaType, supported);
  if (!isImage(data, mediaType)) throw unreadableImageFile(index + 1);
}
