/** Everything a caller may ask of a model, by the name it has in the titles of the tests. */
import type { Feature } from './cell.ts';
import { agentFeatures } from './features-agents.ts';
import { catalogueFeatures } from './features-catalogue.ts';
import { fieldFeatures } from './features-fields.ts';
import { oddFeatures } from './features-odd.ts';
import { shapeFeatures } from './features-shape.ts';
import { textFeatures } from './features-text.ts';
import { toolFeatures } from './features-tools.ts';

export const features = {
  ...textFeatures,
  ...toolFeatures,
  ...shapeFeatures,
  ...fieldFeatures,
  ...catalogueFeatures,
  ...agentFeatures,
  ...oddFeatures,
};

export type FeatureName = keyof typeof features;

export const featureList = Object.entries(features) as ReadonlyArray<[FeatureName, Feature]>;
