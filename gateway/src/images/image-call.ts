/** A call for images, as JSON or as a form. */
import type { ImageEditFields, ImageGenerationRequest } from '../contract/images.ts';
import type { JsonObject } from '../json/parse-json.ts';
import type { ImageType } from './image-type.ts';

export type ImageCall = ImageGeneration | ImageEdit;

export interface ImageGeneration {
  readonly kind: 'generate';
  readonly fields: ImageGenerationRequest;
  /** The caller's bytes, including unknown fields. */
  readonly body: JsonObject;
}

export interface ImageEdit {
  readonly kind: 'edit';
  readonly fields: ImageEditFields;
  readonly images: readonly ImageFile[];
  readonly mask: ImageFile | null;
}

/** The request as received; some images may still have to be fetched. */
export interface RequestedEdit extends Omit<ImageEdit, 'images' | 'mask'> {
  readonly images: ReadonlyArray<ImageFile | ImageAddress>;
  readonly mask: ImageFile | ImageAddress | null;
}

/** An image that has to be fetched or is one of the caller's references. */
export interface ImageAddress extends ExpectedImage {
  readonly url: string;
}

/** The path of an image in a request, and its accepted types. */
export interface ExpectedImage {
  readonly param: string;
  readonly types: readonly ImageType[];
}

/** An image of a call. The bytes are part of the request body, not a copy. */
export interface ImageFile {
  readonly mediaType: ImageType;
  readonly bytes: Buffer;
}
