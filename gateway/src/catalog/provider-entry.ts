/** A provider in `tollgate.yaml`, as it is written. */
import { type Static, Type } from 'typebox';
import { about, closed } from '../yaml/about-key.ts';
import { dialects, dialectsWith, ownFields, vendorNames } from './dialects/dialects.ts';

const withVendors = dialectsWith(({ vendors }) => vendors).join(', ');

export const ProviderEntry = Type.Object(
  {
    dialect: Type.Enum([...dialects], about('The protocol that the provider speaks.')),
    vendor: Type.Optional(
      Type.Enum(
        [...vendorNames],
        about(
          `The server behind the dialect ${withVendors}, for its differences from the published protocol.`,
          {
            otherwise: 'none',
          },
        ),
      ),
    ),
    region: Type.Optional(
      Type.String(
        about('The region of a cloud, such as the one that requests to Bedrock are signed for.', {
          otherwise: 'read from base_url',
          example: 'eu-west-3',
        }),
      ),
    ),
    base_url: Type.String({
      pattern: '^https?://',
      ...about('The address to which paths of the protocol are appended. For OpenAI it ends in /v1.', {
        example: 'https://api.openai.com/v1',
      }),
    }),
    api_key: Type.Optional(
      Type.String(
        about('The key at the provider. Keep it out of the file.', {
          otherwise: 'none; Bedrock uses the AWS credential chain',
          example: '${OPENAI_API_KEY}',
        }),
      ),
    ),
    api_keys: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        ...about(
          'Several keys of one account, instead of api_key. A key that is rejected or limited rests.',
          {
            otherwise: 'none',
            example: ['${OPENAI_API_KEY_1}', '${OPENAI_API_KEY_2}'],
          },
        ),
      }),
    ),
    ...ownFields,
    simulated: Type.Optional(
      Type.Boolean(
        about('True: a stand-in, whose answers are not those of real models.', { default: false }),
      ),
    ),
    propagate_trace: Type.Optional(
      Type.Boolean(
        about('True: calls carry the header traceparent, so that the provider can continue the trace.', {
          default: false,
        }),
      ),
    ),
    only_if: Type.Optional(
      Type.String(
        about('If it is there and empty, the provider is switched off, and so are models without another.', {
          otherwise: 'always on',
          example: '${OPENAI_API_KEY:-}',
        }),
      ),
    ),
  },
  { ...closed, ...about('One provider.') },
);
export type ProviderEntry = Static<typeof ProviderEntry>;
