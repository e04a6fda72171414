/** Chat completions: `POST /v1/chat/completions`. Unknown fields are passed on, not rejected. */
import { type Static, Type } from 'typebox';
import { ChatCustomTool, ChatTool, ChatToolChoice } from './chat-tools.ts';
import { nullable } from './schema.ts';

/** Other kinds of parts and calls are passed on, so their fields are too. */
const open = { additionalProperties: true } as const;

const ImageUrl = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      description: 'A data URL, an https URL, or a reference (`svc-file://…`).',
    }),
    detail: Type.Optional(
      Type.String({ description: 'How closely the model looks at the image: `auto`, `low` or `high`.' }),
    ),
  },
  { description: 'The image of an `image_url` part.' },
);

export const ChatContentPart = Type.Object(
  {
    type: Type.String({ description: '`text` or `image_url`; other kinds are passed on.' }),
    text: Type.Optional(Type.String({ description: 'The text of a `text` part.' })),
    image_url: Type.Optional(ImageUrl),
  },
  { ...open, description: 'One part of the content of a message.' },
);

export const ChatToolCall = Type.Object(
  {
    id: Type.String({ description: 'Names the call; the message with its result repeats it.' }),
    type: Type.String({ description: 'Usually `function`.' }),
  },
  { ...open, description: 'A call of a tool that the model asks for.' },
);

export const ChatMessage = Type.Object(
  {
    role: Type.Union(
      [
        Type.Literal('system'),
        Type.Literal('developer'),
        Type.Literal('user'),
        Type.Literal('assistant'),
        Type.Literal('tool'),
        Type.Literal('function'),
      ],
      {
        description:
          'Who speaks. `developer` is a newer name of `system`; `tool` carries a result, as `function` did before it.',
      },
    ),
    content: Type.Optional(
      nullable(
        Type.Union([Type.String(), Type.Array(ChatContentPart)], {
          description: 'A text or a list of parts. An assistant message with tool calls may leave it out.',
        }),
      ),
    ),
    tool_calls: Type.Optional(
      nullable(Type.Array(ChatToolCall, { description: 'In assistant messages: the calls of that turn.' })),
    ),
    tool_call_id: Type.Optional(
      Type.String({ description: 'In tool messages: the call that this is the result of.' }),
    ),
  },
  { ...open, description: 'A message of the conversation.' },
);

export const ChatResponseFormat = Type.Object(
  {
    type: Type.Union([Type.Literal('text'), Type.Literal('json_object'), Type.Literal('json_schema')], {
      description: 'Free text, any JSON object, or JSON of the given schema.',
    }),
    json_schema: Type.Optional(
      Type.Object(
        {
          name: Type.String({ description: 'A name for the schema.' }),
          description: Type.Optional(Type.String({ description: 'Tells the model what the answer is for.' })),
          schema: Type.Optional(Type.Object({}, { description: 'The JSON Schema.' })),
          strict: Type.Optional(
            nullable(Type.Boolean({ description: 'Whether the answer must match the schema exactly.' })),
          ),
        },
        { description: 'Only with the type `json_schema`.' },
      ),
    ),
  },
  { description: 'The form of the answer.' },
);

export const ChatRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 200, description: 'A model code from GET /v1/models.' }),
    messages: Type.Array(ChatMessage, { minItems: 1, description: 'The conversation so far, oldest first.' }),
    temperature: Type.Optional(
      nullable(
        Type.Number({ minimum: 0, maximum: 2, description: 'Higher values make answers more random.' }),
      ),
    ),
    top_p: Type.Optional(
      nullable(
        Type.Number({
          minimum: 0,
          maximum: 1,
          description: 'Only the most likely tokens that together have this probability are used.',
        }),
      ),
    ),
    max_tokens: Type.Optional(
      nullable(Type.Integer({ minimum: 1, description: 'The older name of `max_completion_tokens`.' })),
    ),
    max_completion_tokens: Type.Optional(
      nullable(Type.Integer({ minimum: 1, description: 'The most tokens to generate, reasoning included.' })),
    ),
    stream: Type.Optional(
      nullable(Type.Boolean({ description: 'Send the answer as server-sent events. Default: false.' })),
    ),
    stream_options: Type.Optional(
      nullable(
        Type.Object(
          {
            include_usage: Type.Optional(
              Type.Boolean({ description: 'Whether the last chunk has the usage.' }),
            ),
          },
          { description: 'Only with `stream`.' },
        ),
      ),
    ),
    stop: Type.Optional(
      nullable(
        Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 4 })], {
          description: 'Texts that end the answer where they would occur.',
        }),
      ),
    ),
    n: Type.Optional(
      nullable(Type.Integer({ minimum: 1, maximum: 128, description: 'Number of answers. Default: 1.' })),
    ),
    top_k: Type.Optional(
      nullable(
        Type.Integer({ minimum: 0, description: 'Only this many of the most likely tokens are used.' }),
      ),
    ),
    seed: Type.Optional(
      nullable(
        Type.Integer({ description: 'The same seed and request give similar answers, if the model can.' }),
      ),
    ),
    frequency_penalty: Type.Optional(
      nullable(
        Type.Number({
          minimum: -2,
          maximum: 2,
          description: 'Above 0: repeat words less, the more often they occur.',
        }),
      ),
    ),
    presence_penalty: Type.Optional(
      nullable(
        Type.Number({
          minimum: -2,
          maximum: 2,
          description: 'Above 0: prefer words that have not occurred.',
        }),
      ),
    ),
    reasoning_effort: Type.Optional(
      nullable(
        Type.String({ description: 'How long the model may think, such as `low`, `medium` or `high`.' }),
      ),
    ),
    verbosity: Type.Optional(
      nullable(Type.String({ description: 'How long answers should be: `low`, `medium` or `high`.' })),
    ),
    parallel_tool_calls: Type.Optional(
      nullable(Type.Boolean({ description: 'Whether one turn may contain several tool calls.' })),
    ),
    user: Type.Optional(
      nullable(Type.String({ description: 'Your id for the end user, for abuse reports.' })),
    ),
    safety_identifier: Type.Optional(nullable(Type.String({ description: 'A newer name of `user`.' }))),
    tools: Type.Optional(
      nullable(
        Type.Array(Type.Union([ChatTool, ChatCustomTool]), {
          maxItems: 128,
          description: 'The tools that the model may call.',
        }),
      ),
    ),
    tool_choice: Type.Optional(nullable(ChatToolChoice)),
    response_format: Type.Optional(nullable(ChatResponseFormat)),
  },
  {
    description: 'A conversation to continue. Other fields are passed on if the provider speaks this format.',
  },
);
export type ChatRequest = Static<typeof ChatRequest>;
