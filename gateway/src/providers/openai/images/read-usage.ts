/** Reads the token counts of an image answer. Null when they are missing or cannot be true. Pure. */
import { isObject, type Json, objectOf } from '../../../json/read-json.ts';
import { NO_TOKENS, plausibleUsage, type Usage } from '../../../pricing/usage.ts';
import {
  type KnownFields,
  unknownCounts,
  usageDetails,
  withDetails,
} from '../../../pricing/usage-details.ts';

export function readImagesUsage({ usage: json, svg_usage }: Json): Usage | null {
  if (!isObject(json)) return null;
  const input = objectOf(json.input_tokens_details);
  const output = objectOf(json.output_tokens_details);
  const counts = {
    ...NO_TOKENS,
    inputTokens: json.input_tokens,
    cachedInputTokens: json.cached_tokens ?? input.cached_tokens ?? 0,
    outputTokens: json.output_tokens,
  } as Usage;
  const details = usageDetails({
    imageInputTokens: input.image_tokens,
    cachedImageInputTokens: objectOf(json.cached_tokens_details).cached_image_tokens,
    // If the answer does not say so, what was made are images.
    imageOutputTokens: output.image_tokens ?? json.output_tokens,
    // SVG images are made by another model, whose tokens have no price here.
    unknown: { ...unknownCounts(json, knownFields), ...unknownCounts(objectOf(svg_usage), {}, 'svg_usage') },
  });
  const usage = withDetails(counts, details);
  return plausibleUsage(usage) ? usage : null;
}

const knownFields: KnownFields = {
  input_tokens: true,
  output_tokens: true,
  total_tokens: true,
  input_tokens_details: { text_tokens: true, image_tokens: true, cached_tokens: true },
  output_tokens_details: { text_tokens: true, image_tokens: true },
  cached_tokens: true,
  cached_tokens_details: { cached_text_tokens: true, cached_image_tokens: true },
};
