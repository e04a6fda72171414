/** Embeddings: `POST /v1/embeddings`. Unknown fields are passed on, not rejected. */
import { type Static, Type } from 'typebox';
import { EstimatedCost } from './cost.ts';
import { nullable } from './schema.ts';

/** Limits for every model: inputs per request, and token ids per input. */
export const INPUTS_MAX = 2_048;
export const TOKEN_IDS_MAX = 32_768;

const list = { minItems: 1, maxItems: INPUTS_MAX };
const Text = Type.String({ minLength: 1 });
const TokenIds = Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1, maxItems: TOKEN_IDS_MAX });

export const EmbeddingsRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 200, description: 'A model code from GET /v1/models.' }),
    input: Type.Union([Text, Type.Array(Text, list), TokenIds, Type.Array(TokenIds, list)], {
      description: 'A text, a list of token ids, or a list of either.',
    }),
    encoding_format: Type.Optional(
      nullable(
        Type.Union([Type.Literal('float'), Type.Literal('base64')], {
          description: 'How vectors are written. Default: `float`.',
        }),
      ),
    ),
    dimensions: Type.Optional(
      nullable(
        Type.Integer({ minimum: 1, description: 'The length of the vectors, for models that support it.' }),
      ),
    ),
    user: Type.Optional(
      nullable(Type.String({ description: 'Your id for the end user, for abuse reports.' })),
    ),
  },
  { description: 'Texts to turn into vectors. Other fields are passed on.' },
);
export type EmbeddingsRequest = Static<typeof EmbeddingsRequest>;

export const EmbeddingsUsage = Type.Object(
  {
    prompt_tokens: Type.Integer({ description: 'Tokens of all inputs.' }),
    total_tokens: Type.Integer({ description: 'The same number.' }),
  },
  { description: 'The tokens of the call.' },
);

export const EmbeddingsResponse = Type.Object(
  {
    object: Type.Literal('list', { description: 'Always `list`.' }),
    data: Type.Array(
      Type.Object({
        object: Type.Literal('embedding', { description: 'Always `embedding`.' }),
        index: Type.Integer({ description: 'The position of its input, from 0.' }),
        embedding: Type.Union(
          [
            Type.Array(Type.Number()),
            Type.String({ description: 'Base64 of 32-bit floats, little-endian.' }),
          ],
          { description: 'The vector: numbers, or base64 of 32-bit little-endian floats.' },
        ),
      }),
      { description: 'A vector for each input.' },
    ),
    model: Type.String({ description: 'The model code of the request.' }),
    usage: EmbeddingsUsage,
    estimated_cost: EstimatedCost,
  },
  { description: 'The vectors of the inputs.' },
);
