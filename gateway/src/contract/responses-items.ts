/** The items and parts of a responses request, by type. */
import { Type } from 'typebox';
import { optionalField as optional } from './schema.ts';

/** Other kinds of items, parts and tools are passed on, so their fields are too. */
const open = { additionalProperties: true } as const;

/** Each type of part has some of these fields. */
export const ResponsesPart = Type.Object(
  {
    type: Type.String({
      description: '`input_text`, `input_image`, `input_file`, `output_text` or `refusal`.',
    }),
    text: Type.Optional(Type.String({ description: 'The text of `input_text` and `output_text`.' })),
    refusal: Type.Optional(Type.String({ description: 'The text of `refusal`.' })),
    image_url: optional(
      Type.String({
        description: 'For `input_image`: a data URL, an https URL, or a reference (`svc-file://…`).',
      }),
    ),
    detail: optional(Type.String({ description: 'How closely the model looks at an image.' })),
    file_id: optional(
      Type.String({ description: "A provider's own file id. Not supported: use a reference." }),
    ),
    file_data: optional(Type.String({ description: 'For `input_file`: the file as a data URL.' })),
    file_url: optional(Type.String({ description: 'For `input_file`: an https URL or a reference.' })),
    filename: optional(Type.String({ description: 'For `input_file`: the name of the file.' })),
  },
  { ...open, description: 'One part of the content of a message or a tool result.' },
);

const Content = Type.Union([Type.String(), Type.Array(ResponsesPart)], {
  description: 'A text or a list of parts.',
});

const CallId = Type.String({ minLength: 1, description: 'Names the call; its result repeats it.' });

const MessageItem = Type.Object(
  {
    type: Type.Optional(Type.Literal('message', { description: 'May be left out.' })),
    role: Type.Union(
      [Type.Literal('user'), Type.Literal('assistant'), Type.Literal('system'), Type.Literal('developer')],
      { description: 'Who speaks. `developer` is a newer name of `system`.' },
    ),
    content: Content,
  },
  { ...open, description: 'A message of the conversation.' },
);

const FunctionCallItem = Type.Object(
  {
    type: Type.Literal('function_call', { description: 'Always `function_call`.' }),
    call_id: CallId,
    name: Type.String({ minLength: 1, description: 'The name of the function.' }),
    namespace: optional(Type.String({ description: 'The namespace of the function, if it has one.' })),
    arguments: Type.String({ description: 'JSON, as the model wrote it.' }),
  },
  { ...open, description: 'A call of a function, as an earlier answer contained it.' },
);

const FunctionCallOutputItem = Type.Object(
  {
    type: Type.Literal('function_call_output', { description: 'Always `function_call_output`.' }),
    call_id: CallId,
    output: Content,
  },
  { ...open, description: 'The result of a function call.' },
);

const ReasoningItem = Type.Object(
  {
    type: Type.Literal('reasoning', { description: 'Always `reasoning`.' }),
    id: optional(Type.String({ description: 'The id of the item.' })),
    summary: Type.Array(
      Type.Object({
        type: Type.String({ description: 'Always `summary_text`.' }),
        text: Type.String({ description: 'The text of the summary.' }),
      }),
      { description: 'What the model shows of its reasoning.' },
    ),
    encrypted_content: optional(
      Type.String({ description: 'The reasoning itself, readable only by the provider that wrote it.' }),
    ),
  },
  { ...open, description: 'The reasoning of an earlier answer, sent back unchanged.' },
);

/** The type may be omitted: an item with only an id is a reference. */
const ItemReference = Type.Object(
  {
    type: Type.Optional(Type.Literal('item_reference', { description: 'May be left out.' })),
    id: Type.String({ minLength: 1, description: 'The id of an item of a stored response.' }),
    role: Type.Optional(Type.Never()),
  },
  { ...open, description: 'Stands for an item of a stored response.' },
);

const OtherItem = Type.Object(
  {
    type: Type.String({
      pattern: '^(?!(?:message|function_call|function_call_output|reasoning|item_reference)$)',
      description: 'The kind of the item.',
    }),
  },
  { ...open, description: 'Any other item; passed on if the provider speaks this format.' },
);

/** The known items, by type. */
export const responsesItems = {
  message: MessageItem,
  function_call: FunctionCallItem,
  function_call_output: FunctionCallOutputItem,
  reasoning: ReasoningItem,
  item_reference: ItemReference,
} as const;

export const ResponsesInputItem = Type.Union(
  [MessageItem, FunctionCallItem, FunctionCallOutputItem, ReasoningItem, ItemReference, OtherItem],
  { description: 'An item of the conversation.' },
);
