/** The words in which providers say why they ended; the record of a call keeps them as they came. */
import type { Ending } from './cell.ts';
import type { Wire } from './sent.ts';

const words: Readonly<Record<Wire, Readonly<Partial<Record<Ending, string>>>>> = {
  chat: {
    ...{ stop: 'stop', stop_sequence: 'stop', refusal: 'stop', length: 'length' },
    ...{ tool_calls: 'tool_calls', content_filter: 'content_filter' },
  },
  responses: {
    ...{ stop: 'completed', refusal: 'completed', tool_calls: 'completed' },
    ...{ length: 'max_output_tokens', content_filter: 'content_filter' },
  },
  messages: {
    ...{ stop: 'end_turn', stop_sequence: 'stop_sequence', length: 'max_tokens', tool_calls: 'tool_use' },
    ...{ content_filter: 'refusal', refusal: 'refusal' },
  },
  google: {
    ...{ stop: 'STOP', stop_sequence: 'STOP', refusal: 'STOP', tool_calls: 'STOP' },
    ...{ length: 'MAX_TOKENS', content_filter: 'SAFETY' },
  },
  bedrock: {
    ...{ stop: 'end_turn', stop_sequence: 'stop_sequence', length: 'max_tokens', tool_calls: 'tool_use' },
    ...{ content_filter: 'content_filtered', refusal: 'end_turn' },
  },
};

export function rawFinish(wire: Wire, ending: Ending): string {
  const word = words[wire][ending];
  if (word === undefined) throw new Error(`${wire} has no word for ${ending}`);
  return word;
}
