/**
 * Shapes that are checked in two steps: the schema of the request accepts any kind, then each kind is checked on its
 * own, for better errors. The OpenAPI document shows the kinds.
 */
import { type TSchema, Type } from 'typebox';
import { ChatToolCall } from './chat.ts';
import { blockKinds } from './message-blocks.ts';
import { CustomTool } from './messages.ts';

const open = { additionalProperties: true } as const;

const OtherBlock = Type.Object(
  { type: Type.String({ description: 'Another kind of block.' }) },
  { ...open, description: 'Any other block; passed on if the provider speaks this format.' },
);

const ProviderTool = Type.Object(
  { type: Type.String({ description: 'The kind of the tool.' }) },
  { ...open, description: 'A tool that the provider runs itself.' },
);

export const shownShapes: Readonly<Record<string, TSchema>> = {
  ChatToolCall: Type.Object(
    {
      ...ChatToolCall.properties,
      function: Type.Optional(
        Type.Object(
          {
            name: Type.String({ description: 'The name of the function.' }),
            arguments: Type.String({ description: 'JSON, as the model wrote it.' }),
          },
          { description: 'The function and its arguments.' },
        ),
      ),
    },
    { ...open, description: 'A call of a tool that the model asks for.' },
  ),
  ContentBlock: Type.Union([...Object.values<TSchema>(blockKinds), OtherBlock], {
    description: 'A block of content.',
  }),
  MessagesTool: Type.Union([CustomTool, ProviderTool], {
    description: 'A tool of yours, or one that the provider runs, such as `web_search_20250305`.',
  }),
};
