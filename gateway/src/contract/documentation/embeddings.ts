import { cost } from './example-parts.ts';
import type { TagDocs } from './operation-docs.ts';

export const embeddingsDocs: TagDocs = {
  tag: 'Embeddings',
  description: 'Vectors for texts, in the format of OpenAI.',
  operations: {
    createEmbedding: {
      description:
        'Turns one text or up to 2,048 texts into vectors. A model may have lower limits, for the tokens of one input and for all of them together.',
      examples: [
        {
          title: 'One text',
          body: { model: 'sim-embed', input: 'A red kite over the sea', dimensions: 4 },
          answer: {
            object: 'list',
            data: [{ object: 'embedding', index: 0, embedding: [0.262688, 0.768997, -0.295833, 0.502116] }],
            model: 'sim-embed',
            usage: { prompt_tokens: 6, total_tokens: 6 },
            estimated_cost: cost('0.0000006'),
          },
        },
        {
          title: 'Several texts as base64',
          body: {
            model: 'sim-embed',
            input: ['A red kite', 'A blue kite'],
            encoding_format: 'base64',
            dimensions: 4,
          },
          answer: {
            object: 'list',
            data: [
              { object: 'embedding', index: 0, embedding: 'D3+GPh3dRD9ddZe+tIoAPw==' },
              { object: 'embedding', index: 1, embedding: 'V8GHvqR5Qz8RbZw+3f4BPw==' },
            ],
            model: 'sim-embed',
            usage: { prompt_tokens: 6, total_tokens: 6 },
            estimated_cost: cost('0.0000006'),
          },
        },
      ],
      errors: {
        invalid_parameter: {
          detail: 'input is required.',
          param: 'input',
          provoke: { body: { model: 'sim-embed' } },
        },
      },
    },
  },
};
