/**
 * Images: `POST /v1/images/generations` and `POST /v1/images/edits`. What a model takes for size, quality
 * and background is in the catalogue. Answers always hold the images themselves, in base64.
 */
import { type Static, Type } from 'typebox';
import { EstimatedCost } from './cost.ts';
import { nullable } from './schema.ts';

/** As many as any model takes; a catalogue entry may say fewer. */
export const IMAGES_MAX = 10;
export const EDITED_IMAGES_MAX = 16;

const word = Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 100 })));

const fields = {
  model: Type.String({ minLength: 1, maxLength: 200, description: 'An image model of GET /v1/models.' }),
  prompt: Type.String({ minLength: 1, maxLength: 32_000 }),
  n: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: IMAGES_MAX }))),
  size: word,
  quality: word,
  background: word,
  user: Type.Optional(nullable(Type.String())),
  output_format: word,
  output_compression: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 100 }))),
  moderation: word,
  response_format: Type.Optional(nullable(Type.Literal('b64_json'))),
  stream: Type.Optional(nullable(Type.Literal(false, { description: 'Images are not streamed.' }))),
};

/** Fields we do not know are passed on, not refused. */
export const ImageRequest = Type.Object(fields);
export type ImageRequest = Static<typeof ImageRequest>;

const closed = { additionalProperties: false } as const;
const editFields = { ...fields, input_fidelity: word };

/** The fields of a form that are no files. */
export const ImageEditFields = Type.Object(editFields, closed);
export type ImageEditFields = Static<typeof ImageEditFields>;

const ImageAddress = Type.Object(
  {
    image_url: Type.String({
      minLength: 1,
      description: 'data:image/…;base64,…, a reference, or an https address.',
    }),
  },
  closed,
);

export const ImageEditRequest = Type.Object(
  {
    ...editFields,
    images: Type.Array(ImageAddress, { minItems: 1, maxItems: EDITED_IMAGES_MAX }),
    mask: Type.Optional(nullable(ImageAddress)),
  },
  closed,
);
export type ImageEditRequest = Static<typeof ImageEditRequest>;

const File = Type.String({ contentMediaType: 'application/octet-stream' });

/** The same as a form; many images are sent as `image[]`. Published only: forms are read by hand. */
export const ImageEditForm = Type.Object(
  {
    ...editFields,
    image: Type.Union([File, Type.Array(File, { minItems: 1, maxItems: EDITED_IMAGES_MAX })]),
    mask: Type.Optional(File),
  },
  closed,
);

export const ImagesResponse = Type.Object({
  created: Type.Integer(),
  data: Type.Array(Type.Object({ b64_json: Type.String() }), { minItems: 1 }),
  usage: Type.Optional(
    nullable(Type.Object({ input_tokens: Type.Integer(), output_tokens: Type.Integer() })),
  ),
  estimated_cost: EstimatedCost,
});
