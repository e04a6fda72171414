/** Chat completions: `POST /v1/chat/completions`. Unknown fields are passed on, not rejected. */
import { type Static, Type } from 'typebox';
import { EstimatedCost } from './cost.ts';
import { nullable } from './schema.ts';

const ImageUrl = Type.Object({ url: Type.String({ minLength: 1 }), detail: Type.Optional(Type.String()) });

export const ChatContentPart = Type.Object({
  type: Type.String(),
  text: Type.Optional(Type.String()),
  image_url: Type.Optional(ImageUrl),
});

export const ChatMessage = Type.Object({
  role: Type.Union([
    Type.Literal('system'),
    Type.Literal('developer'),
    Type.Literal('user'),
    Type.Literal('assistant'),
    Type.Literal('tool'),
  ]),
  content: Type.Optional(nullable(Type.Union([Type.String(), Type.Array(ChatContentPart)]))),
  tool_calls: Type.Optional(nullable(Type.Array(Type.Object({ id: Type.String(), type: Type.String() })))),
  tool_call_id: Type.Optional(Type.String()),
});

export const ChatTool = Type.Object({
  type: Type.Literal('function'),
  function: Type.Object({
    name: Type.String({ pattern: '^[a-zA-Z0-9_-]{1,64}$' }),
    description: Type.Optional(nullable(Type.String())),
    parameters: Type.Optional(nullable(Type.Object({}))),
    strict: Type.Optional(nullable(Type.Boolean())),
  }),
});

const ChatToolChoice = Type.Union([
  Type.Literal('auto'),
  Type.Literal('none'),
  Type.Literal('required'),
  Type.Object({ type: Type.Literal('function'), function: Type.Object({ name: Type.String() }) }),
]);

export const ChatRequest = Type.Object({
  model: Type.String({ minLength: 1, maxLength: 200, description: 'A model code from GET /v1/models.' }),
  messages: Type.Array(ChatMessage, { minItems: 1 }),
  temperature: Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 2 }))),
  top_p: Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 1 }))),
  max_tokens: Type.Optional(nullable(Type.Integer({ minimum: 1 }))),
  max_completion_tokens: Type.Optional(nullable(Type.Integer({ minimum: 1 }))),
  stream: Type.Optional(nullable(Type.Boolean({ description: 'Default: false.' }))),
  stream_options: Type.Optional(nullable(Type.Object({ include_usage: Type.Optional(Type.Boolean()) }))),
  stop: Type.Optional(nullable(Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 4 })]))),
  n: Type.Optional(
    nullable(Type.Integer({ minimum: 1, maximum: 128, description: 'Number of answers. Default: 1.' })),
  ),
  top_k: Type.Optional(nullable(Type.Integer({ minimum: 0 }))),
  seed: Type.Optional(nullable(Type.Integer())),
  frequency_penalty: Type.Optional(nullable(Type.Number({ minimum: -2, maximum: 2 }))),
  presence_penalty: Type.Optional(nullable(Type.Number({ minimum: -2, maximum: 2 }))),
  reasoning_effort: Type.Optional(nullable(Type.String())),
  verbosity: Type.Optional(nullable(Type.String())),
  parallel_tool_calls: Type.Optional(nullable(Type.Boolean())),
  user: Type.Optional(nullable(Type.String())),
  safety_identifier: Type.Optional(nullable(Type.String())),
  tools: Type.Optional(nullable(Type.Array(ChatTool, { maxItems: 128 }))),
  tool_choice: Type.Optional(nullable(ChatToolChoice)),
  response_format: Type.Optional(
    nullable(
      Type.Object({
        type: Type.Union([Type.Literal('text'), Type.Literal('json_object'), Type.Literal('json_schema')]),
        json_schema: Type.Optional(
          Type.Object({
            name: Type.String(),
            description: Type.Optional(Type.String()),
            schema: Type.Optional(Type.Object({})),
            strict: Type.Optional(nullable(Type.Boolean())),
          }),
        ),
      }),
    ),
  ),
});
export type ChatRequest = Static<typeof ChatRequest>;

export const ChatUsage = Type.Object({
  prompt_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  total_tokens: Type.Integer(),
});

const FinishReason = Type.Union([
  Type.Literal('stop'),
  Type.Literal('length'),
  Type.Literal('tool_calls'),
  Type.Literal('content_filter'),
]);

export const ChatCompletion = Type.Object({
  id: Type.String(),
  object: Type.Literal('chat.completion'),
  created: Type.Integer(),
  model: Type.String(),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      message: Type.Object({
        role: Type.Literal('assistant'),
        content: nullable(Type.String()),
        images: Type.Optional(Type.Array(Type.Object({ image_url: Type.Object({ url: Type.String() }) }))),
        tool_calls: Type.Optional(Type.Array(Type.Object({}))),
      }),
      finish_reason: FinishReason,
    }),
  ),
  usage: Type.Optional(ChatUsage),
  estimated_cost: EstimatedCost,
});

export const ChatCompletionChunk = Type.Object({
  id: Type.String(),
  object: Type.Literal('chat.completion.chunk'),
  created: Type.Integer(),
  model: Type.String(),
  choices: Type.Array(
    Type.Object({ index: Type.Integer(), delta: Type.Object({}), finish_reason: nullable(FinishReason) }),
  ),
  usage: Type.Optional(nullable(ChatUsage)),
  estimated_cost: Type.Optional(EstimatedCost),
});
