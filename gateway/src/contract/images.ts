/**
 * Images: `POST /v1/images/generations` and `POST /v1/images/edits`. The catalogue has the sizes, qualities
 * and backgrounds of a model. Answers always contain the images as base64.
 */
import { type Static, Type } from 'typebox';
import { EstimatedCost } from './cost.ts';
import { described, nullable } from './schema.ts';

/** The limit for every model; a catalogue entry may set a lower one. */
export const IMAGES_MAX = 10;
export const EDITED_IMAGES_MAX = 16;

const word = (description: string) =>
  Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 100, description })));

const fields = {
  model: Type.String({ minLength: 1, maxLength: 200, description: 'An image model from GET /v1/models.' }),
  prompt: Type.String({ minLength: 1, maxLength: 32_000, description: 'What the image should show.' }),
  n: Type.Optional(
    nullable(Type.Integer({ minimum: 1, maximum: IMAGES_MAX, description: 'Number of images. Default: 1.' })),
  ),
  size: word('Width and height, such as `1024x1024`, or `auto`. The model determines which are allowed.'),
  quality: word('A quality that the model offers, such as `low` or `high`.'),
  background: word('`transparent`, `opaque` or `auto`, if the model has a choice.'),
  user: Type.Optional(nullable(Type.String({ description: 'Your id for the end user, for abuse reports.' }))),
  output_format: word('The format of the images: `png`, `jpeg` or `webp`.'),
  output_compression: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        description: 'The quality of `jpeg` and `webp`, in percent.',
      }),
    ),
  ),
  moderation: word('How strict the filter of the provider is: `auto` or `low`.'),
  response_format: Type.Optional(
    nullable(Type.Literal('b64_json', { description: 'Images are always returned as base64.' })),
  ),
  stream: Type.Optional(nullable(Type.Literal(false, { description: 'Images are not streamed.' }))),
};

/** Unknown fields are passed on, not rejected. */
export const ImageGenerationRequest = Type.Object(fields, {
  description: 'A prompt for new images. Other fields are passed on.',
});
export type ImageGenerationRequest = Static<typeof ImageGenerationRequest>;

const closed = { additionalProperties: false } as const;
const editFields = {
  ...fields,
  input_fidelity: word('How closely the result follows the given images: `low` or `high`.'),
};

/** The fields of a form that are not files. */
export const ImageEditFields = Type.Object(editFields, closed);
export type ImageEditFields = Static<typeof ImageEditFields>;

export const EditedImage = Type.Object(
  {
    image_url: Type.String({
      minLength: 1,
      description: 'A data URL (`data:image/…;base64,…`), a reference, or an https URL.',
    }),
  },
  { ...closed, description: 'An image to edit.' },
);

export const ImageEditRequest = Type.Object(
  {
    ...editFields,
    images: Type.Array(EditedImage, {
      minItems: 1,
      maxItems: EDITED_IMAGES_MAX,
      description: 'The images to edit or combine.',
    }),
    mask: Type.Optional(nullable(described(EditedImage, 'A PNG whose transparent area is to be changed.'))),
  },
  { ...closed, description: 'A prompt and the images to edit.' },
);
export type ImageEditRequest = Static<typeof ImageEditRequest>;

const file = { contentMediaType: 'application/octet-stream' } as const;

/**
 * The same as a form; several images are sent as `image[]`. Only for the API description: forms are parsed by
 * other code.
 */
export const ImageEditForm = Type.Object(
  {
    ...editFields,
    image: Type.Union(
      [Type.String(file), Type.Array(Type.String(file), { minItems: 1, maxItems: EDITED_IMAGES_MAX })],
      { description: 'The image to edit. Send several as `image[]`.' },
    ),
    mask: Type.Optional(
      Type.String({ ...file, description: 'A PNG whose transparent area is to be changed.' }),
    ),
  },
  { ...closed, description: 'A prompt and the files to edit.' },
);

export const ImagesResponse = Type.Object(
  {
    created: Type.Integer({ description: 'When it was created, in Unix seconds.' }),
    data: Type.Array(Type.Object({ b64_json: Type.String({ description: 'The image in base64.' }) }), {
      minItems: 1,
      description: 'The images.',
    }),
    usage: Type.Optional(
      nullable(
        Type.Object(
          {
            input_tokens: Type.Integer({ description: 'Tokens of the prompt and the given images.' }),
            output_tokens: Type.Integer({ description: 'Tokens of the created images.' }),
          },
          { description: 'The tokens of the call, if the model counts any.' },
        ),
      ),
    ),
    estimated_cost: EstimatedCost,
  },
  { description: 'The created images.' },
);
