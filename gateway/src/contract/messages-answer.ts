/** The answers in the messages format: a message, its stream events, and a token count. */
import { Type } from 'typebox';
import { EstimatedCost } from './cost.ts';
import { ContentBlock } from './message-blocks.ts';
import { nullable } from './schema.ts';

export const CountTokensResponse = Type.Object(
  { input_tokens: Type.Integer({ description: 'The tokens of the prompt.' }) },
  { description: 'A token count. It costs nothing.' },
);

export const MessagesUsage = Type.Object(
  {
    input_tokens: Type.Integer({ description: 'Excludes tokens read from or written to the cache.' }),
    output_tokens: Type.Integer({ description: 'Tokens of the answer, thinking included.' }),
    cache_read_input_tokens: Type.Optional(
      nullable(Type.Integer({ description: 'Tokens read from the prompt cache.' })),
    ),
    cache_creation_input_tokens: Type.Optional(
      nullable(Type.Integer({ description: 'Tokens written to the prompt cache.' })),
    ),
    service_tier: Type.Optional(
      nullable(
        Type.String({
          description:
            'The tier in which the call was served: `standard`, `priority` or `batch`; null if it has no name here, or is not known yet.',
        }),
      ),
    ),
  },
  { description: 'The tokens of the call.' },
);

const StopReason = Type.Union(
  [
    Type.Literal('end_turn'),
    Type.Literal('max_tokens'),
    Type.Literal('stop_sequence'),
    Type.Literal('tool_use'),
    Type.Literal('refusal'),
    Type.Literal('pause_turn'),
    Type.Literal('model_context_window_exceeded'),
  ],
  { description: 'Why the answer ended; null while it is streamed.' },
);
const StopSequence = Type.String({ description: 'The stop sequence that ended the answer, if one did.' });

const message = {
  id: Type.String({ description: 'The id of the message.' }),
  type: Type.Literal('message', { description: 'Always `message`.' }),
  role: Type.Literal('assistant', { description: 'Always `assistant`.' }),
  model: Type.String({ description: 'The model code of the request.' }),
  content: Type.Array(ContentBlock, { description: 'The blocks of the answer.' }),
  stop_reason: nullable(StopReason),
  stop_sequence: nullable(StopSequence),
};

export const MessagesResponse = Type.Object(
  { ...message, usage: Type.Optional(MessagesUsage), estimated_cost: EstimatedCost },
  { description: 'A whole answer.' },
);

const type = <Name extends string>(name: Name) => Type.Literal(name, { description: `Always \`${name}\`.` });
const index = Type.Integer({ description: 'The position of the block in `content`.' });

export const MessagesEvent = Type.Union(
  [
    Type.Object(
      {
        type: type('message_start'),
        message: Type.Object(
          { ...message, usage: Type.Optional(MessagesUsage) },
          { description: 'The message, still empty.' },
        ),
      },
      { description: 'The first event.' },
    ),
    Type.Object(
      { type: type('content_block_start'), index, content_block: ContentBlock },
      { description: 'A block begins.' },
    ),
    Type.Object(
      {
        type: type('content_block_delta'),
        index,
        delta: Type.Object(
          { type: Type.String({ description: 'The kind of change, such as `text_delta`.' }) },
          { additionalProperties: true, description: 'What is added to the block.' },
        ),
      },
      { description: 'A block grows.' },
    ),
    Type.Object({ type: type('content_block_stop'), index }, { description: 'A block is complete.' }),
    Type.Object(
      {
        type: type('message_delta'),
        delta: Type.Object(
          { stop_reason: nullable(StopReason), stop_sequence: nullable(StopSequence) },
          { description: 'How the message ended.' },
        ),
        usage: MessagesUsage,
        estimated_cost: Type.Optional(EstimatedCost),
      },
      { description: 'The end of the message, with its usage and cost.' },
    ),
    Type.Object({ type: type('message_stop') }, { description: 'The last event.' }),
    Type.Object({ type: type('ping') }, { description: 'Keeps the connection open.' }),
    Type.Object(
      {
        type: type('error'),
        error: Type.Object(
          {
            type: Type.String({ description: 'The error code.' }),
            message: Type.String({ description: 'What went wrong and what to do.' }),
            error_ref: Type.String({ description: 'Identifies this response in logs.' }),
          },
          { description: 'The error.' },
        ),
      },
      { description: 'The answer failed after it had begun.' },
    ),
  ],
  { description: 'One event of a streamed answer.' },
);
