/**
 * Images: `POST /v1/images/generations` and `POST /v1/images/edits`. The catalogue has the sizes, qualities
 * and backgrounds of a model. Answers always contain the images as base64.
 */
import { type Static, Type } from 'typebox';
import { EstimatedCost } from './cost.ts';
import { nullable } from './schema.ts';

/** The limit for every model; a catalogue entry may set a lower one. */
export const IMAGES_MAX = 10;
export const EDITED_IMAGES_MAX = 16;

const word = Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 100 })));

const fields = {
  model: Type.String({ minLength: 1, maxLength: 200, description: 'An image model from GET /v1/models.' }),
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

/** Unknown fields are passed on, not rejected. */
export const ImageGenerationRequest = Type.Object(fields);
export type ImageGenerationRequest = Static<typeof ImageGenerationRequest>;

const closed = { additionalProperties: false } as const;
const editFields = { ...fields, input_fidelity: word };

/** The fields of a form that are not files. */
export const ImageEditFields = Type.Object(editFields, closed);
export type ImageEditFields = Static<typeof ImageEditFields>;

const ImageAddress = Type.Object(
  {
    image_url: Type.String({
      minLength: 1,
      description: 'data:image/…;base64,…, a reference, or an https URL.',
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

/**
 * The same as a form; several images are sent as `image[]`. Only for the API description: forms are parsed by
 * other code.
 */
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
