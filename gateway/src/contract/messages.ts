/**
 * The messages format: `POST /v1/messages` and its token counting. Unknown fields and block types are passed
 * on, not rejected; known ones are checked (check-messages.ts).
 */
import { type Static, Type } from 'typebox';
import { EstimatedCost } from './cost.ts';
import { ContentBlock, TextBlock } from './message-blocks.ts';
import { nullable } from './schema.ts';

const Message = Type.Object({
  role: Type.Union([Type.Literal('user'), Type.Literal('assistant'), Type.Literal('system')], {
    description: '`system` requires a beta header that starts with `mid-conversation-`.',
  }),
  content: Type.Union([Type.String(), Type.Array(ContentBlock)]),
});

/** A tool of the caller, or one that the provider runs, such as web search. */
const Tool = Type.Object({ type: Type.Optional(nullable(Type.String())) });

export const CustomTool = Type.Object({
  type: Type.Optional(nullable(Type.Literal('custom'))),
  name: Type.String({ pattern: '^[a-zA-Z0-9_-]{1,128}$' }),
  description: Type.Optional(nullable(Type.String())),
  input_schema: Type.Object({ type: Type.Literal('object') }),
  strict: Type.Optional(nullable(Type.Boolean())),
  defer_loading: Type.Optional(
    nullable(Type.Boolean({ description: 'The model sees the tool only after a tool search found it.' })),
  ),
});
export type CustomTool = Static<typeof CustomTool>;

const ToolChoice = Type.Object({
  type: Type.Union([Type.Literal('auto'), Type.Literal('any'), Type.Literal('tool'), Type.Literal('none')]),
  name: Type.Optional(Type.String({ description: 'The tool to call; only with the type `tool`.' })),
  disable_parallel_tool_use: Type.Optional(nullable(Type.Boolean())),
});

const Thinking = Type.Object({
  type: Type.Union([
    Type.Literal('enabled'),
    Type.Literal('adaptive'),
    Type.Literal('disabled'),
    Type.Literal('between_tools'),
  ]),
  budget_tokens: Type.Optional(Type.Integer({ minimum: 0, description: 'Only with the type `enabled`.' })),
  display: Type.Optional(nullable(Type.String())),
});

const OutputFormat = Type.Object({ type: Type.Literal('json_schema'), schema: Type.Object({}) });

/** The fields of a prompt, which are enough to count its tokens. */
const prompt = {
  model: Type.String({ minLength: 1, maxLength: 200, description: 'A model code from GET /v1/models.' }),
  messages: Type.Array(Message, { minItems: 1 }),
  system: Type.Optional(nullable(Type.Union([Type.String(), Type.Array(TextBlock)]))),
  tools: Type.Optional(nullable(Type.Array(Tool))),
  tool_choice: Type.Optional(nullable(ToolChoice)),
  thinking: Type.Optional(nullable(Thinking)),
  output_config: Type.Optional(
    nullable(
      Type.Object({
        effort: Type.Optional(nullable(Type.String())),
        format: Type.Optional(nullable(OutputFormat)),
      }),
    ),
  ),
  /** The older name of `output_config.format`. */
  output_format: Type.Optional(nullable(OutputFormat)),
};

export const MessagesRequest = Type.Object({
  ...prompt,
  max_tokens: Type.Integer({ minimum: 1 }),
  temperature: Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 1 }))),
  top_p: Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 1 }))),
  top_k: Type.Optional(nullable(Type.Integer({ minimum: 0 }))),
  stop_sequences: Type.Optional(nullable(Type.Array(Type.String()))),
  stream: Type.Optional(nullable(Type.Boolean())),
  metadata: Type.Optional(nullable(Type.Object({ user_id: Type.Optional(nullable(Type.String())) }))),
});
export type MessagesRequest = Static<typeof MessagesRequest>;

export const CountTokensRequest = Type.Object(prompt);
export type CountTokensRequest = Static<typeof CountTokensRequest>;

export const CountTokensResponse = Type.Object({ input_tokens: Type.Integer() });

export const MessagesUsage = Type.Object({
  input_tokens: Type.Integer({ description: 'Excludes tokens read from or written to the cache.' }),
  output_tokens: Type.Integer(),
  cache_read_input_tokens: Type.Optional(nullable(Type.Integer())),
  cache_creation_input_tokens: Type.Optional(nullable(Type.Integer())),
});

const StopReason = Type.Union([
  Type.Literal('end_turn'),
  Type.Literal('max_tokens'),
  Type.Literal('stop_sequence'),
  Type.Literal('tool_use'),
  Type.Literal('refusal'),
  Type.Literal('pause_turn'),
  Type.Literal('model_context_window_exceeded'),
]);

const message = {
  id: Type.String(),
  type: Type.Literal('message'),
  role: Type.Literal('assistant'),
  model: Type.String(),
  content: Type.Array(ContentBlock),
  stop_reason: nullable(StopReason),
  stop_sequence: nullable(Type.String()),
};

export const MessagesResponse = Type.Object({
  ...message,
  usage: Type.Optional(MessagesUsage),
  estimated_cost: EstimatedCost,
});

export const MessagesEvent = Type.Union([
  Type.Object({
    type: Type.Literal('message_start'),
    message: Type.Object({ ...message, usage: Type.Optional(MessagesUsage) }),
  }),
  Type.Object({
    type: Type.Literal('content_block_start'),
    index: Type.Integer(),
    content_block: ContentBlock,
  }),
  Type.Object({
    type: Type.Literal('content_block_delta'),
    index: Type.Integer(),
    delta: Type.Object({ type: Type.String() }),
  }),
  Type.Object({ type: Type.Literal('content_block_stop'), index: Type.Integer() }),
  Type.Object({
    type: Type.Literal('message_delta'),
    delta: Type.Object({ stop_reason: nullable(StopReason), stop_sequence: nullable(Type.String()) }),
    usage: MessagesUsage,
    estimated_cost: Type.Optional(EstimatedCost),
  }),
  Type.Object({ type: Type.Literal('message_stop') }),
  Type.Object({ type: Type.Literal('ping') }),
  Type.Object({
    type: Type.Literal('error'),
    error: Type.Object({ type: Type.String(), message: Type.String(), error_ref: Type.String() }),
  }),
]);
