/** The content blocks of a message, by type. */
import { type Static, Type } from 'typebox';
import { nullable } from './schema.ts';

const open = { additionalProperties: true } as const;

/** Any block; the types below are checked in detail. */
export const ContentBlock = Type.Object(
  { type: Type.String({ description: 'The kind of the block.' }) },
  {
    ...open,
    description:
      'text, image, document, tool_use, tool_result, tool_reference, thinking or redacted_thinking; other kinds are passed on.',
  },
);
export type ContentBlock = Static<typeof ContentBlock>;

export const TextBlock = Type.Object(
  {
    type: Type.Literal('text', { description: 'Always `text`.' }),
    text: Type.String({ description: 'The text.' }),
  },
  { ...open, description: 'A text.' },
);
export type TextBlock = Static<typeof TextBlock>;

export const BlockSource = Type.Object(
  {
    type: Type.String({ description: '`base64`, `url` or `text`.' }),
    media_type: Type.Optional(Type.String({ description: 'With `base64`: the type, such as `image/png`.' })),
    data: Type.Optional(Type.String({ description: 'With `base64` and `text`: the content.' })),
    url: Type.Optional(
      Type.String({ description: 'With `url`: an https URL or a reference (`svc-file://…`).' }),
    ),
  },
  { ...open, description: 'Where the content comes from.' },
);
export type BlockSource = Static<typeof BlockSource>;

const ImageBlock = Type.Object(
  { type: Type.Literal('image', { description: 'Always `image`.' }), source: BlockSource },
  { ...open, description: 'An image.' },
);
const DocumentBlock = Type.Object(
  {
    type: Type.Literal('document', { description: 'Always `document`.' }),
    source: BlockSource,
    title: Type.Optional(nullable(Type.String({ description: 'A title for the model.' }))),
  },
  { ...open, description: 'A document, such as a PDF.' },
);
const ToolUseBlock = Type.Object(
  {
    type: Type.Literal('tool_use', { description: 'Always `tool_use`.' }),
    id: Type.String({ minLength: 1, description: 'Names the call; its result repeats it.' }),
    name: Type.String({ minLength: 1, description: 'The tool to call.' }),
    input: Type.Object({}, { description: 'The arguments.' }),
  },
  { ...open, description: 'A call of a tool that the model asks for.' },
);
const ToolResultBlock = Type.Object(
  {
    type: Type.Literal('tool_result', { description: 'Always `tool_result`.' }),
    tool_use_id: Type.String({ minLength: 1, description: 'The call that this is the result of.' }),
    content: Type.Optional(
      nullable(
        Type.Union([Type.String(), Type.Array(ContentBlock)], { description: 'A text or a list of blocks.' }),
      ),
    ),
    is_error: Type.Optional(nullable(Type.Boolean({ description: 'Whether the tool failed.' }))),
  },
  { ...open, description: 'The result of a tool call.' },
);
const ThinkingBlock = Type.Object(
  {
    type: Type.Literal('thinking', { description: 'Always `thinking`.' }),
    thinking: Type.String({ description: 'What the model thought.' }),
    signature: Type.Optional(Type.String({ description: 'Proves to the provider that it wrote this.' })),
  },
  { ...open, description: 'Reasoning. Send it back unchanged.' },
);
const ToolReferenceBlock = Type.Object(
  {
    type: Type.Literal('tool_reference', { description: 'Always `tool_reference`.' }),
    tool_name: Type.String({ minLength: 1, description: 'A tool that a search found.' }),
  },
  { ...open, description: 'Loads a tool that has `defer_loading`.' },
);
const RedactedThinkingBlock = Type.Object(
  {
    type: Type.Literal('redacted_thinking', { description: 'Always `redacted_thinking`.' }),
    data: Type.String({ description: 'The reasoning, encrypted by the provider.' }),
  },
  { ...open, description: 'Reasoning that is not shown. Send it back unchanged.' },
);

/** The block types that are checked. */
export const blockKinds = {
  text: TextBlock,
  image: ImageBlock,
  document: DocumentBlock,
  tool_use: ToolUseBlock,
  tool_result: ToolResultBlock,
  thinking: ThinkingBlock,
  redacted_thinking: RedactedThinkingBlock,
  tool_reference: ToolReferenceBlock,
};

export type KnownBlock = Static<(typeof blockKinds)[keyof typeof blockKinds]>;
export type ToolResultBlock = Static<typeof ToolResultBlock>;
