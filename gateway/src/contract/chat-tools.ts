/** The tools of a chat request, and the choice among them. */
import { type Static, Type } from 'typebox';
import { nullable } from './schema.ts';

/** Formats of texts may have more fields, which are passed on. */
const open = { additionalProperties: true } as const;

export const ChatTool = Type.Object(
  {
    type: Type.Literal('function', { description: 'Always `function`.' }),
    function: Type.Object(
      {
        name: Type.String({
          pattern: '^[a-zA-Z0-9_-]{1,64}$',
          description: 'Letters, digits, `_` and `-`; at most 64 characters.',
        }),
        description: Type.Optional(
          nullable(Type.String({ description: 'Tells the model when to call it.' })),
        ),
        parameters: Type.Optional(
          nullable(Type.Object({}, { description: 'A JSON Schema of the arguments.' })),
        ),
        strict: Type.Optional(
          nullable(Type.Boolean({ description: 'Whether the arguments must match the schema exactly.' })),
        ),
      },
      { description: 'The function.' },
    ),
  },
  { description: 'A function that the model may call. Your code runs it.' },
);

export const ChatCustomTool = Type.Object(
  {
    type: Type.Literal('custom', { description: 'Always `custom`.' }),
    custom: Type.Object(
      {
        name: Type.String({ minLength: 1, description: 'The name of the tool.' }),
        description: Type.Optional(
          nullable(Type.String({ description: 'Tells the model when to call it.' })),
        ),
        format: Type.Optional(
          nullable(
            Type.Object(
              {
                type: Type.Union([Type.Literal('text'), Type.Literal('grammar')], {
                  description: 'Any text, or text of a grammar.',
                }),
                grammar: Type.Optional(
                  Type.Object(
                    {
                      syntax: Type.String({ description: '`lark` or `regex`.' }),
                      definition: Type.String({ description: 'The grammar itself.' }),
                    },
                    { description: 'Only with the type `grammar`.' },
                  ),
                ),
              },
              { ...open, description: 'What the model may write. Default: any text.' },
            ),
          ),
        ),
      },
      { ...open, description: 'The tool.' },
    ),
  },
  {
    description:
      'A tool that takes a text instead of arguments, at providers that have such. Your code runs it.',
  },
);

export type ChatCustomTool = Static<typeof ChatCustomTool>;

export const ChatNamedFunction = Type.Object(
  {
    type: Type.Literal('function', { description: 'Always `function`.' }),
    function: Type.Object(
      { name: Type.String({ description: 'The name of the function.' }) },
      { description: 'The function that the model must call.' },
    ),
  },
  { description: 'A function by its name.' },
);

export const ChatNamedCustom = Type.Object(
  {
    type: Type.Literal('custom', { description: 'Always `custom`.' }),
    custom: Type.Object(
      { name: Type.String({ description: 'The name of the tool.' }) },
      { description: 'The tool that the model must call.' },
    ),
  },
  { description: 'A tool that takes a text, by its name.' },
);

export const ChatAllowedTools = Type.Object(
  {
    type: Type.Literal('allowed_tools', { description: 'Always `allowed_tools`.' }),
    allowed_tools: Type.Object(
      {
        mode: Type.Union([Type.Literal('auto'), Type.Literal('required')], {
          description: 'Whether the model must call one of them.',
        }),
        tools: Type.Array(Type.Union([ChatNamedFunction, ChatNamedCustom]), {
          description: 'The tools, by their names.',
        }),
      },
      { description: 'The tools that the model may call.' },
    ),
  },
  { description: 'Only some of the tools.' },
);

export const ChatToolChoice = Type.Union(
  [
    Type.Literal('auto'),
    Type.Literal('none'),
    Type.Literal('required'),
    ChatNamedFunction,
    ChatNamedCustom,
    ChatAllowedTools,
  ],
  {
    description:
      'Whether the model calls tools: if it wants to (default), never, always, this tool, or only some of them.',
  },
);
export type ChatToolChoice = Static<typeof ChatToolChoice>;
