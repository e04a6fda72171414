/** Reads what kinds of content a reply shall have, and of what size its picture. */
import type { ModelTraits } from '../brain/models.ts';
import type { PictureAsked } from '../brain/prompt.ts';
import { type Json, record } from '../json.ts';
import { invalid, unmet } from './refusals.ts';

const PICTURE_TOKENS = 1_290;

/** Each of about a million points, and all at the same price. */
const SIZES: Readonly<Record<string, readonly [number, number]>> = {
  '1:1': [1024, 1024],
  '2:3': [832, 1248],
  '3:2': [1248, 832],
  '3:4': [864, 1184],
  '4:3': [1184, 864],
  '4:5': [896, 1152],
  '5:4': [1152, 896],
  '9:16': [768, 1344],
  '16:9': [1344, 768],
  '21:9': [1536, 672],
};

/** Null where the model is asked for words alone, or draws in its own way. */
export function readPicture(config: Json, traits: ModelTraits): PictureAsked | null {
  const wanted = readModalities(config.responseModalities, traits);
  const asked = record(config.imageConfig);
  const sized = traits.paints || (traits.drawsImages && asked !== null);
  if (asked !== null && !sized) throw invalid('Aspect ratio is not enabled for this model');
  if (!sized || !(wanted?.includes('IMAGE') ?? traits.drawsImages)) return null;
  const [width, height] = readSize(asked ?? {});
  return { width, height, alone: wanted?.includes('TEXT') === false, tokens: PICTURE_TOKENS };
}

function readModalities(value: unknown, traits: ModelTraits): readonly string[] | null {
  if (value === undefined) return null;
  const wanted = (Array.isArray(value) ? value : [value]).map((modality) => String(modality).toUpperCase());
  const supported = traits.drawsImages || traits.paints ? ['TEXT', 'IMAGE'] : ['TEXT'];
  if (wanted.every((modality) => supported.includes(modality))) return wanted;
  throw invalid(
    `Model does not support the requested response modalities: ${wanted.join(',').toLowerCase()}`,
  );
}

function readSize({ aspectRatio = '1:1', imageSize = '1K' }: Json): readonly [number, number] {
  const place = 'generation_config.image_config';
  if (imageSize !== '1K') throw unmet(`${place}.image_size`, 'image_size must be 1K for this model.');
  const size = Object.hasOwn(SIZES, String(aspectRatio)) ? SIZES[String(aspectRatio)] : undefined;
  if (size !== undefined) return size;
  const known = Object.keys(SIZES).join(', ');
  throw unmet(`${place}.aspect_ratio`, `aspect_ratio must be one of ${known}.`);
}
