import { cost, RED_PIXEL } from './example-parts.ts';
import type { TagDocs } from './operation-docs.ts';

const images = {
  created: 1794806003,
  data: [{ b64_json: RED_PIXEL }],
  usage: { input_tokens: 3, output_tokens: 272 },
  estimated_cost: cost('0.011'),
};

export const imagesDocs: TagDocs = {
  tag: 'Images',
  description: 'New and edited images, in the format of OpenAI.',
  operations: {
    createImage: {
      description:
        'Creates images from a prompt. The answer always contains them as base64. `GET /v1/models` shows the price of each size and quality.',
      examples: [
        {
          title: 'A small image',
          body: { model: 'sim-image', prompt: 'A red kite', size: '1024x1024', quality: 'low' },
          partial: true,
          answer: images,
        },
      ],
      errors: {
        invalid_parameter: {
          detail: 'prompt is required.',
          param: 'prompt',
          provoke: { body: { model: 'sim-image' } },
        },
      },
    },
    editImage: {
      description:
        'Changes or combines up to 16 images. Send JSON with data URLs, https addresses or references, or a form with files.',
      examples: [
        {
          title: 'A data URL',
          body: {
            model: 'sim-image',
            prompt: 'Make it blue',
            quality: 'low',
            images: [{ image_url: `data:image/png;base64,${RED_PIXEL}` }],
          },
          partial: true,
          answer: images,
        },
        {
          title: 'A form',
          form: {
            model: 'sim-image',
            prompt: 'Make it blue',
            quality: 'low',
            image: { filename: 'kite.png', type: 'image/png', content: { base64: RED_PIXEL } },
          },
          partial: true,
          answer: images,
        },
      ],
      errors: {
        invalid_parameter: {
          detail: 'prompt is required.',
          param: 'prompt',
          provoke: { body: { model: 'sim-image', images: [{ image_url: 'https://example.com/kite.png' }] } },
        },
      },
    },
  },
};
