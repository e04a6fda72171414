/** What a call is charged for by the token, by the names of price sheets, receipts and `pricing`. */
export const inputComponents = [
  'input',
  'cached_input',
  'cache_write',
  'cache_write_5m',
  'cache_write_30m',
  'cache_write_1h',
  'cache_write_12h',
  'image_input',
  'cached_image_input',
  'audio_input',
  'cached_audio_input',
] as const;
export const outputComponents = ['output', 'reasoning', 'image_output', 'audio_output'] as const;
export const tokenComponents = [...inputComponents, ...outputComponents] as const;
export type TokenComponent = (typeof tokenComponents)[number];

export const componentMeanings: Readonly<Record<TokenComponent, string>> = {
  input: 'Input tokens.',
  cached_input: 'Input tokens that are read from the prompt cache.',
  cache_write: 'Input tokens that are written to the prompt cache.',
  cache_write_5m: 'Input tokens that are written to the prompt cache for 5 minutes.',
  cache_write_30m: 'Input tokens that are written to the prompt cache for 30 minutes.',
  cache_write_1h: 'Input tokens that are written to the prompt cache for an hour.',
  cache_write_12h: 'Input tokens that are written to the prompt cache for 12 hours.',
  image_input: 'Input tokens of images.',
  cached_image_input: 'Input tokens of images that are read from the prompt cache.',
  audio_input: 'Input tokens of audio.',
  cached_audio_input: 'Input tokens of audio that are read from the prompt cache.',
  output: 'Output tokens.',
  reasoning: 'Output tokens of reasoning.',
  image_output: 'Output tokens of images.',
  audio_output: 'Output tokens of audio.',
};
