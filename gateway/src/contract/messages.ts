/**
 * The messages format: `POST /v1/messages` and its token counting. Unknown fields and block types are passed
 * on, not rejected; known ones are checked (check-messages.ts).
 */
import { type Static, Type } from 'typebox';
import { ContentBlock, TextBlock } from './message-blocks.ts';
import { described, optionalField as optional } from './schema.ts';

const open = { additionalProperties: true } as const;

export const InputMessage = Type.Object(
  {
    role: Type.Union([Type.Literal('user'), Type.Literal('assistant'), Type.Literal('system')], {
      description: 'Who speaks. `system` adds instructions within the conversation.',
    }),
    content: Type.Optional(
      Type.Union([Type.String(), Type.Array(ContentBlock)], {
        description: 'A text or a list of blocks. Only a system message may leave it out.',
      }),
    ),
  },
  { ...open, description: 'A message of the conversation.' },
);

/** A tool of the caller, or one that the provider runs, such as web search. */
export const MessagesTool = Type.Object(
  { type: optional(Type.String({ description: 'The kind of a tool that the provider runs.' })) },
  { ...open, description: 'A tool of yours, or one that the provider runs, such as `web_search_20250305`.' },
);

export const CustomTool = Type.Object(
  {
    type: optional(Type.Literal('custom', { description: 'May be left out.' })),
    name: Type.String({
      pattern: '^[a-zA-Z0-9_-]{1,128}$',
      description: 'Letters, digits, `_` and `-`; at most 128 characters.',
    }),
    description: optional(Type.String({ description: 'Tells the model when to call it.' })),
    input_schema: Type.Object(
      { type: Type.Literal('object', { description: 'Always `object`.' }) },
      { ...open, description: 'A JSON Schema of the arguments.' },
    ),
    strict: optional(Type.Boolean({ description: 'Whether the arguments must match the schema exactly.' })),
    defer_loading: optional(
      Type.Boolean({ description: 'The model sees the tool only after a tool search found it.' }),
    ),
  },
  { ...open, description: 'A tool that your code runs.' },
);
export type CustomTool = Static<typeof CustomTool>;

export const MessagesToolChoice = Type.Object(
  {
    type: Type.Union(
      [Type.Literal('auto'), Type.Literal('any'), Type.Literal('tool'), Type.Literal('none')],
      { description: 'If the model wants to, any tool, the named tool, or no tool.' },
    ),
    name: Type.Optional(Type.String({ description: 'The tool to call; only with the type `tool`.' })),
    disable_parallel_tool_use: optional(Type.Boolean({ description: 'At most one call per turn.' })),
  },
  { ...open, description: 'Whether the model calls tools.' },
);

export const Thinking = Type.Object(
  {
    type: Type.Union(
      [
        Type.Literal('enabled'),
        Type.Literal('adaptive'),
        Type.Literal('disabled'),
        Type.Literal('between_tools'),
      ],
      { description: 'Whether and how the model thinks before it answers.' },
    ),
    budget_tokens: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'The most tokens for thinking. Required with the type `enabled`, and only there.',
      }),
    ),
    display: optional(Type.String({ description: 'How the thoughts are returned, such as `summarized`.' })),
  },
  { ...open, description: 'Reasoning before the answer.' },
);

export const MessagesOutputFormat = Type.Object(
  {
    type: Type.Literal('json_schema', { description: 'Always `json_schema`.' }),
    schema: Type.Object({}, { description: 'The JSON Schema.' }),
  },
  { ...open, description: 'The answer is JSON of this schema.' },
);

export const MessagesOutputConfig = Type.Object(
  {
    effort: optional(Type.String({ description: 'How much work the answer is worth: `low` to `max`.' })),
    format: optional(MessagesOutputFormat),
  },
  { ...open, description: 'The form of the answer, and the effort.' },
);

/** The fields of a prompt, which are enough to count its tokens. */
const prompt = {
  model: Type.String({ minLength: 1, maxLength: 200, description: 'A model code from GET /v1/models.' }),
  messages: Type.Array(InputMessage, { minItems: 1, description: 'The conversation so far, oldest first.' }),
  system: optional(
    Type.Union([Type.String(), Type.Array(TextBlock)], {
      description: 'The system prompt: a text or a list of text blocks.',
    }),
  ),
  tools: optional(Type.Array(MessagesTool, { description: 'The tools that the model may use.' })),
  tool_choice: optional(MessagesToolChoice),
  thinking: optional(Thinking),
  output_config: optional(MessagesOutputConfig),
  output_format: optional(described(MessagesOutputFormat, 'The older name of `output_config.format`.')),
};

export const MessagesRequest = Type.Object(
  {
    ...prompt,
    max_tokens: Type.Integer({ minimum: 1, description: 'The most tokens to generate, thinking included.' }),
    temperature: optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'Higher values make answers more random.' }),
    ),
    top_p: optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'Only the most likely tokens that together have this probability are used.',
      }),
    ),
    top_k: optional(
      Type.Integer({ minimum: 0, description: 'Only this many of the most likely tokens are used.' }),
    ),
    stop_sequences: optional(
      Type.Array(Type.String(), { description: 'Texts that end the answer where they would occur.' }),
    ),
    stream: optional(Type.Boolean({ description: 'Send the answer as server-sent events. Default: false.' })),
    metadata: optional(
      Type.Object(
        { user_id: optional(Type.String({ description: 'Your id for the end user, for abuse reports.' })) },
        { ...open, description: 'About the caller.' },
      ),
    ),
  },
  {
    description: 'A conversation to continue. Other fields are passed on if the provider speaks this format.',
  },
);
export type MessagesRequest = Static<typeof MessagesRequest>;

export const CountTokensRequest = Type.Object(prompt, { description: 'A prompt whose tokens are counted.' });
export type CountTokensRequest = Static<typeof CountTokensRequest>;
