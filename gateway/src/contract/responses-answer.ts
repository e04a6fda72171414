/** The answers of `/v1/responses`: the response object, the stream events, and what a kept response answers. */
import { type Static, Type } from 'typebox';
import { EstimatedCost } from './cost.ts';
import { idPageOf, PageOrderField, pageFields } from './pages.ts';
import { described, ErrorSummary, nullable } from './schema.ts';

const open = { additionalProperties: true } as const;

const ItemStatus = Type.Union(
  [Type.Literal('in_progress'), Type.Literal('completed'), Type.Literal('incomplete')],
  { description: 'Whether the item is finished.' },
);
const ItemId = Type.String({ description: 'The id of the item.' });

const OutputPart = Type.Union([
  Type.Object({
    type: Type.Literal('output_text', { description: 'Always `output_text`.' }),
    text: Type.String({ description: 'The text.' }),
    annotations: Type.Array(Type.Object({}), { description: 'Sources and files that the text names.' }),
  }),
  Type.Object({
    type: Type.Literal('refusal', { description: 'Always `refusal`.' }),
    refusal: Type.String({ description: 'Why the model does not answer.' }),
  }),
]);

export const ResponsesItem = Type.Union(
  [
    Type.Object(
      {
        id: ItemId,
        type: Type.Literal('message', { description: 'Always `message`.' }),
        role: Type.Literal('assistant', { description: 'Always `assistant`.' }),
        status: ItemStatus,
        content: Type.Array(OutputPart, { description: 'The parts of the message.' }),
      },
      { description: 'A message of the model.' },
    ),
    Type.Object(
      {
        id: ItemId,
        type: Type.Literal('function_call', { description: 'Always `function_call`.' }),
        status: ItemStatus,
        call_id: Type.String({ description: 'Names the call; its result must repeat it.' }),
        name: Type.String({ description: 'The name of the function.' }),
        namespace: Type.Optional(
          Type.String({ description: 'The namespace of the function, if it has one.' }),
        ),
        arguments: Type.String({ description: 'JSON, as the model wrote it.' }),
      },
      { description: 'A function that your code should call.' },
    ),
    Type.Object(
      {
        id: ItemId,
        type: Type.Literal('custom_tool_call', { description: 'Always `custom_tool_call`.' }),
        status: ItemStatus,
        call_id: Type.String({ description: 'Names the call; its result must repeat it.' }),
        name: Type.String({ description: 'The name of the tool.' }),
        namespace: Type.Optional(Type.String({ description: 'The namespace of the tool, if it has one.' })),
        input: Type.String({ description: 'The text, as the model wrote it.' }),
      },
      { description: 'A tool that takes a text, which your code should call.' },
    ),
    Type.Object(
      {
        id: ItemId,
        type: Type.Literal('reasoning', { description: 'Always `reasoning`.' }),
        summary: Type.Array(
          Type.Object({
            type: Type.Literal('summary_text', { description: 'Always `summary_text`.' }),
            text: Type.String({ description: 'The text of the summary.' }),
          }),
          { description: 'What the model shows of its reasoning.' },
        ),
        encrypted_content: Type.Optional(
          nullable(
            Type.String({
              description: 'The reasoning itself, readable only by the provider that wrote it.',
            }),
          ),
        ),
      },
      { description: 'The reasoning before the answer.' },
    ),
    Type.Object(
      {
        id: ItemId,
        type: Type.Literal('image_generation_call', { description: 'Always `image_generation_call`.' }),
        status: Type.String({ description: 'Whether the image is finished.' }),
        result: nullable(Type.String({ description: 'The image in base64.' })),
      },
      { description: 'An image that the model created.' },
    ),
    Type.Object(
      {
        type: Type.String({
          pattern: '^(?!(?:message|function_call|reasoning|image_generation_call)$)',
          description: 'The kind of the item.',
        }),
      },
      { ...open, description: 'An item of a tool that the provider runs.' },
    ),
  ],
  { description: 'One thing that the model produced.' },
);

export const ResponsesUsage = Type.Object(
  {
    input_tokens: Type.Integer({ description: 'Tokens of the prompt, those from the cache included.' }),
    input_tokens_details: Type.Optional(
      Type.Object(
        { cached_tokens: Type.Integer({ description: 'Tokens read from the prompt cache.' }) },
        { description: 'What the input tokens consist of.' },
      ),
    ),
    output_tokens: Type.Integer({ description: 'Tokens of the answer, reasoning included.' }),
    output_tokens_details: Type.Optional(
      Type.Object(
        { reasoning_tokens: Type.Integer({ description: 'Tokens of the reasoning.' }) },
        { description: 'What the output tokens consist of.' },
      ),
    ),
    total_tokens: Type.Integer({ description: 'The sum of both.' }),
  },
  { description: 'The tokens of the call.' },
);

const responseFields = {
  id: Type.String({ description: 'Use it as `previous_response_id` to continue the conversation.' }),
  object: Type.Literal('response', { description: 'Always `response`.' }),
  created_at: Type.Number({ description: 'Unix seconds.' }),
  status: Type.Union(
    [
      Type.Literal('queued'),
      Type.Literal('in_progress'),
      Type.Literal('completed'),
      Type.Literal('incomplete'),
      Type.Literal('failed'),
      Type.Literal('cancelled'),
    ],
    {
      description:
        'How far the response is, or how it ended. Only background responses are `queued`, and only they can be `cancelled`.',
    },
  ),
  background: Type.Optional(nullable(Type.Boolean({ description: 'Whether it runs in the background.' }))),
  model: Type.String({ description: 'The model code of the request.' }),
  output: Type.Array(ResponsesItem, { description: 'What the model produced, in order.' }),
  error: nullable(ErrorSummary),
  incomplete_details: nullable(
    Type.Object(
      { reason: Type.String({ description: '`max_output_tokens` or `content_filter`.' }) },
      { description: 'Why the response is incomplete; null if it is not.' },
    ),
  ),
  frequency_penalty: Type.Optional(nullable(Type.Number({ description: 'As in the request.' }))),
  presence_penalty: Type.Optional(nullable(Type.Number({ description: 'As in the request.' }))),
  service_tier: Type.Optional(
    nullable(
      Type.String({
        description:
          'The tier in which the call was served, such as `default` or `flex`; null if this format has no name for it. Until the end of a stream, the one of the request.',
      }),
    ),
  ),
  usage: Type.Optional(nullable(ResponsesUsage)),
};

export const ResponseObject = Type.Object(
  { ...responseFields, estimated_cost: EstimatedCost },
  { description: 'A whole response. Most settings of the request are repeated in it.' },
);

export const StreamedResponse = Type.Object(
  { ...responseFields, estimated_cost: Type.Optional(EstimatedCost) },
  { description: 'The response as it is at this event. The last event has its cost.' },
);

/** The fields of all events; `type` determines which are present. */
export const ResponseEvent = Type.Object(
  {
    type: Type.String({
      description: 'What happened, such as `response.output_text.delta`.',
      examples: ['response.created', 'response.output_text.delta', 'response.completed'],
    }),
    sequence_number: Type.Integer({ description: 'Counts the events of the stream, from 0.' }),
    response: Type.Optional(StreamedResponse),
    item: Type.Optional(ResponsesItem),
    item_id: Type.Optional(Type.String({ description: 'The item that the event is about.' })),
    output_index: Type.Optional(Type.Integer({ description: 'The position of the item in `output`.' })),
    content_index: Type.Optional(Type.Integer({ description: 'The position of the part in the item.' })),
    summary_index: Type.Optional(Type.Integer({ description: 'The position of the part in the summary.' })),
    part: Type.Optional(
      Type.Object(
        { type: Type.String({ description: 'The kind of the part.' }) },
        { ...open, description: 'The part that begins or ends.' },
      ),
    ),
    delta: Type.Optional(Type.String({ description: 'The text that is added.' })),
    text: Type.Optional(Type.String({ description: 'The whole text of a part that ended.' })),
    arguments: Type.Optional(Type.String({ description: 'All arguments of a call that ended.' })),
    error: Type.Optional(described(ErrorSummary, 'Only in `response.failed`.')),
    error_ref: Type.Optional(Type.String({ description: 'Only in `response.failed`.' })),
  },
  { description: 'One event of a streamed response. Its `type` determines which fields it has.' },
);

const Include = Type.Optional(
  Type.Array(Type.String(), { description: 'Accepted and without effect: items are complete.' }),
);

export const ResponseQuery = Type.Object({
  include: Include,
  stream: Type.Optional(
    Type.Boolean({
      description:
        'Streams the events of the response again, while it runs and for 24 hours. Only for a background response, or one that was created with `stream` and an `Idempotency-Key`.',
    }),
  ),
  starting_after: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'With `stream`: only events with a higher `sequence_number`.',
    }),
  ),
});

export const ResponseDeleted = Type.Object(
  {
    id: Type.String({ description: 'The id of the response.' }),
    object: Type.Literal('response', { description: 'Always `response`.' }),
    deleted: Type.Literal(true, { description: 'Always true.' }),
  },
  { description: 'The response was deleted.' },
);
export type ResponseDeleted = Static<typeof ResponseDeleted>;

export const InputItemQuery = Type.Object({ ...pageFields(), order: PageOrderField, include: Include });

export const InputItemList = idPageOf(
  Type.Object(
    {
      id: Type.String({ description: 'The id of the item.' }),
      type: Type.String({ description: 'The kind of the item.' }),
    },
    { description: 'An item of `input` as it was sent; a message always has a list as its content.' },
  ),
  'A page of input items.',
);
export type InputItemList = Static<typeof InputItemList>;
