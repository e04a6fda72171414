/** What models on Bedrock take: docs/formats.md#amazon-bedrock. Pure. */
import type { Effort, ModelTraits } from '../../model-traits.ts';
import { claudeTraits } from '../anthropic/claude-traits.ts';
import { gptTraits } from '../openai/gpt-traits.ts';

const EFFORTS: readonly Effort[] = ['low', 'medium', 'high'];
const thinks: Partial<ModelTraits> = { thinking: 'effort', efforts: EFFORTS };

const makers: ReadonlyArray<readonly [RegExp, (name: string) => Partial<ModelTraits> | null]> = [
  [/\bopenai\./, gptTraits],
  [/\bamazon\.nova-2-lite/, () => thinks],
  [/\bamazon\.nova/, () => ({ thinking: 'none' })],
  [/\bmoonshot(?:ai)?\./, () => ({ ...thinks, thinksByDefault: true, thinkingOff: 'no' })],
];

/** Null: nothing is known of models of other makers. */
export function bedrockTraits(name: string): Partial<ModelTraits> | null {
  return claudeTraits(name) ?? makers.find(([pattern]) => pattern.test(name))?.[1](name) ?? null;
}
