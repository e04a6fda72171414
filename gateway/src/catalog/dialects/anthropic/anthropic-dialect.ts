/** Anthropic's Messages API. */
import type { DialectFacts } from '../dialect-facts.ts';
import { claudeTraits } from './claude-traits.ts';

export const anthropicDialect = {
  system: 'anthropic',
  spokenNames: ['Anthropic', 'Claude'],
  priceFamily: 'anthropic',
  cacheWritesCostMore: true,
  batches: true,
  traits: claudeTraits,
  // Models of others behind the protocol: as it was before efforts.
  otherTraits: claudeTraits('claude-sonnet-4-5'),
  finishReasons: {
    end_turn: 'stop',
    pause_turn: 'stop',
    stop_sequence: 'stop_sequence',
    max_tokens: 'length',
    model_context_window_exceeded: 'length',
    tool_use: 'tool_calls',
    refusal: 'content_filter',
  },
} as const satisfies DialectFacts;
