/** What the catalogue says a model cannot do is refused whatever the dialect, relayed or not. */
import type { Feature } from './cell.ts';
import { shapeFeatures } from './features-shape.ts';
import { textFeatures } from './features-text.ts';
import { toolFeatures } from './features-tools.ts';

export const catalogueFeatures = {
  'an image, to a model that sees none': { ...textFeatures['an image as data'], model: 'plain' },
  'a tool, to a model that calls none': { ...toolFeatures['a tool call'], model: 'plain' },
  'a JSON object, of a model that writes none': { ...shapeFeatures['a JSON object'], model: 'plain' },
  'a schema, to a model that knows none': { ...shapeFeatures['JSON that fits a schema'], model: 'plain' },
  'a stream, of a model that has none': { ...textFeatures['plain text'], streamed: true, model: 'silent' },
} as const satisfies Record<string, Feature>;
