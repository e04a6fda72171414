/** How OpenAI should cache a prompt, in the fields that both of its formats have. Pure. */
import type { Json } from '../json/read-json.ts';
import { isUnset } from './reject-field.ts';

const NAMES = ['prompt_cache_retention', 'prompt_cache_options'];

/** Empty if the request says nothing about it. */
export function readCaching(request: object): { caching?: Json } {
  const said = Object.entries(request).filter(([name, value]) => NAMES.includes(name) && !isUnset(value));
  return said.length === 0 ? {} : { caching: Object.fromEntries(said) };
}
