/** What a caller asks of a model that makes images, in whichever form it came. */
import type { ImageEditFields, ImageRequest } from '../contract/images.ts';
import type { JsonObject } from '../kernel/json/parse-json.ts';
import type { ImageType } from './image-type.ts';

export type ImageCall = ImageGeneration | ImageEdit;

export interface ImageGeneration {
  readonly kind: 'generate';
  readonly fields: ImageRequest;
  /** The caller's own bytes, fields we do not know included. */
  readonly body: JsonObject;
}

export interface ImageEdit {
  readonly kind: 'edit';
  readonly fields: ImageEditFields;
  readonly images: readonly ImageFile[];
  readonly mask: ImageFile | null;
}

/** As it was asked: some of its pictures may lie elsewhere. */
export interface AskedEdit extends Omit<ImageEdit, 'images' | 'mask'> {
  readonly images: ReadonlyArray<ImageFile | ImageAddress>;
  readonly mask: ImageFile | ImageAddress | null;
}

/** A picture that has to be fetched, or is one of the caller's references. */
export interface ImageAddress extends WantedImage {
  readonly url: string;
}

/** Where a picture stands in a request, and what it may be. */
export interface WantedImage {
  readonly param: string;
  readonly types: readonly ImageType[];
}

/** A picture that came with a call. The bytes are part of the body it came in, not a copy. */
export interface ImageFile {
  readonly mediaType: ImageType;
  readonly bytes: Buffer;
}
