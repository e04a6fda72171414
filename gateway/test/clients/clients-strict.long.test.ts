/** The AI SDK on models as strict as the real ones: tools in several steps, answers that fit a schema, and thinking. */
import { aiSdkAnthropic, aiSdkOpenai } from '../support/clients.ts';
import { oneEngine } from '../support/engines.ts';
import { aiSdkUse } from './ai-sdk.ts';
import { describeStrictly } from './strict-promises.ts';

const EFFORT = {
  openai: { forceReasoning: true, reasoningEffort: 'high', reasoningSummary: 'auto' },
} as const;

describeStrictly(oneEngine('embedded', 'client libraries'), [
  aiSdkUse({
    ...{ name: 'responses', own: 'openai-responses', shows: [], thinking: EFFORT },
    model: (place, name) => aiSdkOpenai(place)(name),
  }),
  aiSdkUse({
    ...{ name: 'chat', own: 'openai', shows: [], thinking: EFFORT },
    model: (place, name) => aiSdkOpenai(place).chat(name),
  }),
  aiSdkUse({
    ...{ name: 'messages', own: 'anthropic', shows: [] },
    thinking: { anthropic: { thinking: { type: 'enabled', budgetTokens: 2_048 } } },
    model: (place, name) => aiSdkAnthropic(place)(name),
  }),
]);
