/** The content blocks of a message, by type. */
import { type Static, Type } from 'typebox';
import { nullable } from './schema.ts';

/** Any block; the types below are checked in detail. */
export const ContentBlock = Type.Object(
  { type: Type.String() },
  {
    description:
      'text, image, document, tool_use, tool_result, tool_reference, thinking or redacted_thinking; other kinds are passed on.',
  },
);
export type ContentBlock = Static<typeof ContentBlock>;

export const TextBlock = Type.Object({ type: Type.Literal('text'), text: Type.String() });
export type TextBlock = Static<typeof TextBlock>;

const Source = Type.Object({
  type: Type.String(),
  media_type: Type.Optional(Type.String()),
  data: Type.Optional(Type.String()),
  url: Type.Optional(Type.String()),
});
export type BlockSource = Static<typeof Source>;

const ImageBlock = Type.Object({ type: Type.Literal('image'), source: Source });
const DocumentBlock = Type.Object({
  type: Type.Literal('document'),
  source: Source,
  title: Type.Optional(nullable(Type.String())),
});
const ToolUseBlock = Type.Object({
  type: Type.Literal('tool_use'),
  id: Type.String({ minLength: 1 }),
  name: Type.String({ minLength: 1 }),
  input: Type.Object({}),
});
const ToolResultBlock = Type.Object({
  type: Type.Literal('tool_result'),
  tool_use_id: Type.String({ minLength: 1 }),
  content: Type.Optional(nullable(Type.Union([Type.String(), Type.Array(ContentBlock)]))),
  is_error: Type.Optional(nullable(Type.Boolean())),
});
const ThinkingBlock = Type.Object({
  type: Type.Literal('thinking'),
  thinking: Type.String(),
  signature: Type.Optional(Type.String()),
});
const ToolReferenceBlock = Type.Object({
  type: Type.Literal('tool_reference'),
  tool_name: Type.String({ minLength: 1 }),
});
const RedactedThinkingBlock = Type.Object({ type: Type.Literal('redacted_thinking'), data: Type.String() });

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
