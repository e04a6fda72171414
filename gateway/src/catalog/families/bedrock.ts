/** What models on Bedrock take: docs/formats.md#amazon-bedrock. Pure. */
import type { Effort, ModelTraits } from '../model-traits.ts';
import { claudeTraits } from './claude.ts';
import { gptTraits } from './gpt.ts';

const EFFORTS: readonly Effort[] = ['low', 'medium', 'high'];
const thinks: Partial<ModelTraits> = { thinking: 'effort', efforts: EFFORTS };

const makers: ReadonlyArray<readonly [RegExp, (name: string) => Partial<ModelTraits>]> = [
  [/\bopenai\./, gptTraits],
  [/\bamazon\.nova-2-lite/, () => thinks],
  [/\bamazon\.nova/, () => ({ thinking: 'none' })],
  [/\bmoonshot(?:ai)?\./, () => ({ ...thinks, thinksByDefault: true, thinkingOff: 'no' })],
];

/** Of other makers nothing is known. */
export function bedrockTraits(name: string): Partial<ModelTraits> {
  const claude = claudeTraits(name);
  if (claude !== null) return claude;
  return makers.find(([pattern]) => pattern.test(name))?.[1](name) ?? {};
}
