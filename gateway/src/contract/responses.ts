/** Responses: `POST /v1/responses`. Unknown fields and item types are passed on, not rejected. */
import { type Static, Type } from 'typebox';
import { nullable } from './schema.ts';

const optional = <Schema extends Parameters<typeof nullable>[0]>(schema: Schema) =>
  Type.Optional(nullable(schema));

/** Each type of part has some of these fields. */
export const ResponsesPart = Type.Object({
  type: Type.String({ description: 'input_text, input_image, input_file, output_text or refusal.' }),
  text: Type.Optional(Type.String()),
  refusal: Type.Optional(Type.String()),
  image_url: optional(Type.String()),
  detail: optional(Type.String()),
  file_id: optional(Type.String()),
  file_data: optional(Type.String()),
  file_url: optional(Type.String()),
  filename: optional(Type.String()),
});

const Content = Type.Union([Type.String(), Type.Array(ResponsesPart)]);

const MessageItem = Type.Object({
  type: Type.Optional(Type.Literal('message')),
  role: Type.Union([
    Type.Literal('user'),
    Type.Literal('assistant'),
    Type.Literal('system'),
    Type.Literal('developer'),
  ]),
  content: Content,
});

const FunctionCallItem = Type.Object({
  type: Type.Literal('function_call'),
  call_id: Type.String({ minLength: 1 }),
  name: Type.String({ minLength: 1 }),
  namespace: optional(Type.String({ description: 'The namespace of the function, if it has one.' })),
  arguments: Type.String({ description: 'JSON, as the model wrote it.' }),
});

const FunctionCallOutputItem = Type.Object({
  type: Type.Literal('function_call_output'),
  call_id: Type.String({ minLength: 1 }),
  output: Content,
});

const ReasoningItem = Type.Object({
  type: Type.Literal('reasoning'),
  id: optional(Type.String()),
  summary: Type.Array(Type.Object({ type: Type.String(), text: Type.String() })),
  encrypted_content: optional(Type.String()),
});

/** The type may be omitted: an item with only an id is a reference. */
const ItemReference = Type.Object({
  type: Type.Optional(Type.Literal('item_reference')),
  id: Type.String({ minLength: 1 }),
  role: Type.Optional(Type.Never()),
});

const OtherItem = Type.Object({
  type: Type.String({
    pattern: '^(?!(?:message|function_call|function_call_output|reasoning|item_reference)$)',
  }),
});

/** The known items, by type. */
export const responsesItems = {
  message: MessageItem,
  function_call: FunctionCallItem,
  function_call_output: FunctionCallOutputItem,
  reasoning: ReasoningItem,
  item_reference: ItemReference,
} as const;

export const ResponsesFunctionTool = Type.Object({
  type: Type.Literal('function'),
  name: Type.String({ pattern: '^[a-zA-Z0-9_-]{1,64}$' }),
  description: optional(Type.String()),
  parameters: optional(Type.Object({})),
  strict: optional(Type.Boolean()),
});

/** A namespace of functions, as agents group the tools of a server. */
export const ResponsesNamespaceTool = Type.Object({
  type: Type.Literal('namespace'),
  name: Type.String({ minLength: 1, maxLength: 128 }),
  description: optional(Type.String()),
  tools: Type.Array(
    Type.Object({ type: Type.String(), name: Type.String({ minLength: 1, maxLength: 128 }) }),
    { maxItems: 128 },
  ),
});

/** Tools that the provider runs itself, such as `web_search`. */
const HostedTool = Type.Object({ type: Type.String({ pattern: '^(?!(?:function|namespace)$)' }) });

const ToolChoice = Type.Union([
  Type.Literal('auto'),
  Type.Literal('none'),
  Type.Literal('required'),
  Type.Object({
    type: Type.Literal('function'),
    name: Type.String(),
    namespace: optional(Type.String()),
  }),
  Type.Object({ type: Type.String({ pattern: '^(?!function$)' }) }),
]);

const TextFormat = Type.Union([
  Type.Object({ type: Type.Literal('text') }),
  Type.Object({ type: Type.Literal('json_object') }),
  Type.Object({
    type: Type.Literal('json_schema'),
    name: Type.String(),
    schema: Type.Object({}),
    description: optional(Type.String()),
    strict: optional(Type.Boolean()),
  }),
]);

/** The shape of the chat format; `text.format` is the same setting in this format. */
const ResponseFormat = Type.Object({
  type: Type.Union([Type.Literal('text'), Type.Literal('json_object'), Type.Literal('json_schema')]),
  json_schema: Type.Optional(
    Type.Object({
      name: Type.String(),
      description: optional(Type.String()),
      schema: Type.Optional(Type.Object({})),
      strict: optional(Type.Boolean()),
    }),
  ),
});

export const ResponsesRequest = Type.Object({
  model: Type.String({ minLength: 1, maxLength: 200, description: 'A model code from GET /v1/models.' }),
  input: Type.Union([
    Type.String(),
    Type.Array(
      Type.Union([
        MessageItem,
        FunctionCallItem,
        FunctionCallOutputItem,
        ReasoningItem,
        ItemReference,
        OtherItem,
      ]),
      { minItems: 1 },
    ),
  ]),
  instructions: optional(Type.String({ description: 'The system prompt.' })),
  temperature: optional(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: optional(Type.Number({ minimum: 0, maximum: 1 })),
  frequency_penalty: optional(Type.Number({ minimum: -2, maximum: 2 })),
  presence_penalty: optional(Type.Number({ minimum: -2, maximum: 2 })),
  max_output_tokens: optional(Type.Integer({ minimum: 1 })),
  stream: optional(Type.Boolean()),
  stream_options: optional(Type.Object({ include_obfuscation: Type.Optional(Type.Boolean()) })),
  response_format: optional(ResponseFormat),
  text: optional(Type.Object({ format: optional(TextFormat), verbosity: optional(Type.String()) })),
  tools: optional(
    Type.Array(Type.Union([ResponsesFunctionTool, ResponsesNamespaceTool, HostedTool]), { maxItems: 128 }),
  ),
  tool_choice: optional(ToolChoice),
  parallel_tool_calls: optional(Type.Boolean()),
  previous_response_id: optional(Type.String({ minLength: 1, maxLength: 200 })),
  store: optional(
    Type.Boolean({ description: 'False: do not store the response. Otherwise it is stored for 30 days.' }),
  ),
  reasoning: optional(
    Type.Object({
      effort: optional(Type.String()),
      summary: optional(Type.String()),
      generate_summary: optional(Type.String()),
    }),
  ),
  include: optional(Type.Array(Type.String(), { maxItems: 32 })),
  metadata: optional(
    Type.Record(Type.String(), Type.String({ maxLength: 512 }), {
      maxProperties: 16,
    }),
  ),
  client_metadata: optional(
    Type.Object(
      {},
      { description: 'Session data of an agent; left out if the provider has no field for it.' },
    ),
  ),
  truncation: optional(Type.Union([Type.Literal('auto'), Type.Literal('disabled')])),
  user: optional(Type.String()),
  safety_identifier: optional(Type.String()),
  prompt_cache_key: optional(Type.String()),
  service_tier: optional(Type.String()),
  top_logprobs: optional(Type.Integer({ minimum: 0, maximum: 20 })),
  background: optional(Type.Literal(false, { description: 'Background responses are not supported.' })),
  conversation: Type.Optional(Type.Null({ description: 'Use previous_response_id.' })),
});
export type ResponsesRequest = Static<typeof ResponsesRequest>;
