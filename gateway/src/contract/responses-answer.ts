/** The answers of `/v1/responses`: the response object, the stream events, and what a kept response answers. */
import { type Static, Type } from 'typebox';
import { EstimatedCost } from './cost.ts';
import { PageOrderField, pageFields, pageOf } from './pages.ts';
import { nullable } from './schema.ts';

const ItemStatus = Type.Union([
  Type.Literal('in_progress'),
  Type.Literal('completed'),
  Type.Literal('incomplete'),
]);

const OutputPart = Type.Union([
  Type.Object({
    type: Type.Literal('output_text'),
    text: Type.String(),
    annotations: Type.Array(Type.Object({})),
  }),
  Type.Object({ type: Type.Literal('refusal'), refusal: Type.String() }),
]);

export const ResponsesItem = Type.Union([
  Type.Object({
    id: Type.String(),
    type: Type.Literal('message'),
    role: Type.Literal('assistant'),
    status: ItemStatus,
    content: Type.Array(OutputPart),
  }),
  Type.Object({
    id: Type.String(),
    type: Type.Literal('function_call'),
    status: ItemStatus,
    call_id: Type.String(),
    name: Type.String(),
    namespace: Type.Optional(Type.String({ description: 'The namespace of the function, if it has one.' })),
    arguments: Type.String(),
  }),
  Type.Object({
    id: Type.String(),
    type: Type.Literal('reasoning'),
    summary: Type.Array(Type.Object({ type: Type.Literal('summary_text'), text: Type.String() })),
    encrypted_content: Type.Optional(nullable(Type.String())),
  }),
  Type.Object({
    id: Type.String(),
    type: Type.Literal('image_generation_call'),
    status: Type.String(),
    result: nullable(Type.String({ description: 'The image in base64.' })),
  }),
  Type.Object(
    { type: Type.String({ pattern: '^(?!(?:message|function_call|reasoning|image_generation_call)$)' }) },
    { description: 'An item of a tool that the provider runs.' },
  ),
]);

export const ResponsesUsage = Type.Object({
  input_tokens: Type.Integer(),
  input_tokens_details: Type.Optional(Type.Object({ cached_tokens: Type.Integer() })),
  output_tokens: Type.Integer(),
  output_tokens_details: Type.Optional(Type.Object({ reasoning_tokens: Type.Integer() })),
  total_tokens: Type.Integer(),
});

const responseFields = {
  id: Type.String(),
  object: Type.Literal('response'),
  created_at: Type.Number({ description: 'Unix seconds.' }),
  status: Type.Union([
    Type.Literal('in_progress'),
    Type.Literal('completed'),
    Type.Literal('incomplete'),
    Type.Literal('failed'),
  ]),
  model: Type.String(),
  output: Type.Array(ResponsesItem),
  error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  incomplete_details: nullable(Type.Object({ reason: Type.String() })),
  frequency_penalty: Type.Optional(nullable(Type.Number())),
  presence_penalty: Type.Optional(nullable(Type.Number())),
  usage: Type.Optional(nullable(ResponsesUsage)),
};

export const ResponseObject = Type.Object({ ...responseFields, estimated_cost: EstimatedCost });

/** The fields of all events; `type` determines which are present. */
export const ResponseEvent = Type.Object({
  type: Type.String({ examples: ['response.created', 'response.output_text.delta', 'response.completed'] }),
  sequence_number: Type.Integer(),
  response: Type.Optional(Type.Object({ ...responseFields, estimated_cost: Type.Optional(EstimatedCost) })),
  item: Type.Optional(ResponsesItem),
  item_id: Type.Optional(Type.String()),
  output_index: Type.Optional(Type.Integer()),
  content_index: Type.Optional(Type.Integer()),
  summary_index: Type.Optional(Type.Integer()),
  part: Type.Optional(Type.Object({ type: Type.String() })),
  delta: Type.Optional(Type.String()),
  text: Type.Optional(Type.String()),
  arguments: Type.Optional(Type.String()),
  error: Type.Optional(
    Type.Object(
      { code: Type.String(), message: Type.String() },
      { description: 'Only in `response.failed`.' },
    ),
  ),
  error_ref: Type.Optional(Type.String({ description: 'Only in `response.failed`.' })),
});

const Include = Type.Optional(
  Type.Array(Type.String(), { description: 'Accepted and without effect: items are complete.' }),
);

export const ResponseQuery = Type.Object({
  include: Include,
  stream: Type.Optional(Type.Literal(false, { description: 'A kept response is answered in one piece.' })),
});

export const ResponseDeleted = Type.Object({
  id: Type.String(),
  object: Type.Literal('response'),
  deleted: Type.Literal(true),
});
export type ResponseDeleted = Static<typeof ResponseDeleted>;

export const InputItemQuery = Type.Object({ ...pageFields(), order: PageOrderField, include: Include });

export const InputItemList = pageOf(
  Type.Object(
    { id: Type.String(), type: Type.String() },
    { description: 'An item of `input` as it was sent; a message always has a list as its content.' },
  ),
);
export type InputItemList = Static<typeof InputItemList>;
