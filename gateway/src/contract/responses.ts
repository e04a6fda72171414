/** Responses: `POST /v1/responses`. Unknown fields and item types are passed on, not rejected. */
import { type Static, Type } from 'typebox';
import { ResponsesInputItem } from './responses-items.ts';
import { optionalField as optional } from './schema.ts';

const open = { additionalProperties: true } as const;

export const ResponsesFunctionTool = Type.Object(
  {
    type: Type.Literal('function', { description: 'Always `function`.' }),
    name: Type.String({
      pattern: '^[a-zA-Z0-9_-]{1,64}$',
      description: 'Letters, digits, `_` and `-`; at most 64 characters.',
    }),
    description: optional(Type.String({ description: 'Tells the model when to call it.' })),
    parameters: optional(Type.Object({}, { description: 'A JSON Schema of the arguments.' })),
    strict: optional(Type.Boolean({ description: 'Whether the arguments must match the schema exactly.' })),
  },
  { ...open, description: 'A function that the model may call. Your code runs it.' },
);

/** A namespace of functions, as agents group the tools of a server. */
export const ResponsesNamespaceTool = Type.Object(
  {
    type: Type.Literal('namespace', { description: 'Always `namespace`.' }),
    name: Type.String({ minLength: 1, maxLength: 128, description: 'The name of the namespace.' }),
    description: optional(Type.String({ description: 'Tells the model what the functions are for.' })),
    tools: Type.Array(
      Type.Object(
        {
          type: Type.String({ description: 'Usually `function`.' }),
          name: Type.String({ minLength: 1, maxLength: 128, description: 'The name within the namespace.' }),
        },
        open,
      ),
      { maxItems: 128, description: 'Its functions.' },
    ),
  },
  { ...open, description: 'Functions that belong together, such as those of one MCP server.' },
);

/** Tools that the provider runs itself, such as `web_search`. */
const HostedTool = Type.Object(
  {
    type: Type.String({
      pattern: '^(?!(?:function|namespace)$)',
      description: 'The kind of the tool, such as `web_search`.',
    }),
  },
  { ...open, description: 'A tool that the provider runs itself.' },
);

const ToolChoice = Type.Union(
  [
    Type.Literal('auto'),
    Type.Literal('none'),
    Type.Literal('required'),
    Type.Object({
      type: Type.Literal('function', { description: 'Always `function`.' }),
      name: Type.String({ description: 'The function that the model must call.' }),
      namespace: optional(Type.String({ description: 'Its namespace, if it has one.' })),
    }),
    Type.Object(
      {
        type: Type.String({
          pattern: '^(?!function$)',
          description: 'The kind of the tool that the model must use.',
        }),
      },
      open,
    ),
  ],
  { description: 'Whether the model calls tools: if it wants to (default), never, always, or this tool.' },
);

const TextFormat = Type.Union(
  [
    Type.Object({ type: Type.Literal('text', { description: 'Free text.' }) }),
    Type.Object({ type: Type.Literal('json_object', { description: 'Any JSON object.' }) }),
    Type.Object({
      type: Type.Literal('json_schema', { description: 'JSON of the given schema.' }),
      name: Type.String({ description: 'A name for the schema.' }),
      schema: Type.Object({}, { description: 'The JSON Schema.' }),
      description: optional(Type.String({ description: 'Tells the model what the answer is for.' })),
      strict: optional(Type.Boolean({ description: 'Whether the answer must match the schema exactly.' })),
    }),
  ],
  { description: 'The form of the answer.' },
);

/** The shape of the chat format; `text.format` is the same setting in this format. */
const ResponseFormat = Type.Object(
  {
    type: Type.Union([Type.Literal('text'), Type.Literal('json_object'), Type.Literal('json_schema')], {
      description: 'Free text, any JSON object, or JSON of the given schema.',
    }),
    json_schema: Type.Optional(
      Type.Object(
        {
          name: Type.String({ description: 'A name for the schema.' }),
          description: optional(Type.String({ description: 'Tells the model what the answer is for.' })),
          schema: Type.Optional(Type.Object({}, { description: 'The JSON Schema.' })),
          strict: optional(
            Type.Boolean({ description: 'Whether the answer must match the schema exactly.' }),
          ),
        },
        { description: 'Only with the type `json_schema`.' },
      ),
    ),
  },
  { description: 'The same setting as `text.format`, as chat completions write it. Send only one of them.' },
);

const sampling = {
  temperature: optional(
    Type.Number({ minimum: 0, maximum: 2, description: 'Higher values make answers more random.' }),
  ),
  top_p: optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Only the most likely tokens that together have this probability are used.',
    }),
  ),
  frequency_penalty: optional(
    Type.Number({
      minimum: -2,
      maximum: 2,
      description: 'Above 0: repeat words less, the more often they occur.',
    }),
  ),
  presence_penalty: optional(
    Type.Number({ minimum: -2, maximum: 2, description: 'Above 0: prefer words that have not occurred.' }),
  ),
  max_output_tokens: optional(
    Type.Integer({ minimum: 1, description: 'The most tokens to generate, reasoning included.' }),
  ),
};

const tooling = {
  tools: optional(
    Type.Array(Type.Union([ResponsesFunctionTool, ResponsesNamespaceTool, HostedTool]), {
      maxItems: 128,
      description: 'The tools that the model may use.',
    }),
  ),
  tool_choice: optional(ToolChoice),
  parallel_tool_calls: optional(
    Type.Boolean({ description: 'Whether one turn may contain several tool calls.' }),
  ),
};

const storing = {
  previous_response_id: optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Continue the conversation of this stored response.',
    }),
  ),
  store: optional(
    Type.Boolean({ description: 'False: do not store the response. Otherwise it is stored for 30 days.' }),
  ),
};

const details = {
  reasoning: optional(
    Type.Object(
      {
        effort: optional(
          Type.String({ description: 'How long the model may think: `low`, `medium` or `high`.' }),
        ),
        summary: optional(
          Type.String({ description: 'Show a summary of the reasoning: `auto` or `detailed`.' }),
        ),
        generate_summary: optional(Type.String({ description: 'The older name of `summary`.' })),
      },
      { description: 'How the model reasons.' },
    ),
  ),
  include: optional(
    Type.Array(Type.String(), {
      maxItems: 32,
      description: 'More to answer with, such as `reasoning.encrypted_content`.',
    }),
  ),
  metadata: optional(
    Type.Record(Type.String(), Type.String({ maxLength: 512 }), {
      maxProperties: 16,
      description: 'Up to 16 texts of your own; the provider may store them.',
    }),
  ),
  client_metadata: optional(
    Type.Object(
      {},
      { description: 'Session data of an agent; left out if the provider has no field for it.' },
    ),
  ),
  truncation: optional(
    Type.Union([Type.Literal('auto'), Type.Literal('disabled')], {
      description: 'Whether the provider may drop old items that do not fit the context.',
    }),
  ),
  user: optional(Type.String({ description: 'Your id for the end user, for abuse reports.' })),
  safety_identifier: optional(Type.String({ description: 'A newer name of `user`.' })),
  prompt_cache_key: optional(
    Type.String({ description: 'Requests with the same key share a prompt cache.' }),
  ),
  service_tier: optional(
    Type.String({ description: 'The processing tier of the provider, such as `flex`.' }),
  ),
  top_logprobs: optional(
    Type.Integer({ minimum: 0, maximum: 20, description: 'How many alternatives to report for each token.' }),
  ),
};

export const ResponsesRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 200, description: 'A model code from GET /v1/models.' }),
    input: Type.Union([Type.String(), Type.Array(ResponsesInputItem, { minItems: 1 })], {
      description: 'A prompt, or the items of the conversation, oldest first.',
    }),
    instructions: optional(Type.String({ description: 'The system prompt.' })),
    ...sampling,
    stream: optional(Type.Boolean({ description: 'Send the answer as server-sent events. Default: false.' })),
    stream_options: optional(
      Type.Object(
        {
          include_obfuscation: Type.Optional(
            Type.Boolean({ description: 'Whether events are padded to hide their length.' }),
          ),
        },
        { description: 'Only with `stream`.' },
      ),
    ),
    response_format: optional(ResponseFormat),
    text: optional(
      Type.Object(
        {
          format: optional(TextFormat),
          verbosity: optional(
            Type.String({ description: 'How long answers should be: `low`, `medium` or `high`.' }),
          ),
        },
        { description: 'The form and length of the answer.' },
      ),
    ),
    ...tooling,
    ...storing,
    ...details,
    background: optional(
      Type.Boolean({
        description:
          'Answer at once, run in the background and keep the response, so that it can be read later. Needs `store`. ' +
          'Default: false.',
      }),
    ),
    conversation: Type.Optional(Type.Null({ description: 'Use previous_response_id.' })),
  },
  { description: 'A prompt to answer. Other fields are passed on if the provider speaks this format.' },
);
export type ResponsesRequest = Static<typeof ResponsesRequest>;
