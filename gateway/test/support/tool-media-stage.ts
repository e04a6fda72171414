/** Tool results with images: how each format sends them, and where each protocol shows them to the model. */
import { type Format, paths } from '../matrix/ask.ts';
import { type Wire, wireOf } from '../matrix/sent.ts';

/** A text, or the address of an image. */
export type ResultPart = string | { readonly image: string };

export interface ToolConversation {
  /** The parts of the result of each call, by the id of the call. All calls are of one turn. */
  readonly results: Readonly<Record<string, readonly ResultPart[]>>;
  /** What the user says after the results. */
  readonly then?: string;
}

export const TOOL = 'look';
const parameters = { type: 'object', properties: { at: { type: 'string' } } };
const HEADERS = { 'anthropic-version': '2023-06-01' };

/** The request of a format; `more` is added last. */
export function toolRequest(
  format: Format,
  conversation: ToolConversation,
  more: object,
): { path: string; headers: Record<string, string>; body: object } {
  return { path: paths[format], headers: HEADERS, body: { ...writers[format](conversation), ...more } };
}

const QUESTION = 'What do the pictures show?';

const writers: Readonly<Record<Format, (conversation: ToolConversation) => object>> = {
  chat: ({ results, then }) => ({
    messages: [
      { role: 'user', content: QUESTION },
      {
        role: 'assistant',
        tool_calls: Object.keys(results).map((id) => ({
          ...{ id, type: 'function', function: { name: TOOL, arguments: '{"at":"it"}' } },
        })),
      },
      ...Object.entries(results).map(([id, parts]) => ({
        role: 'tool',
        tool_call_id: id,
        content: parts.map((part) =>
          typeof part === 'string'
            ? { type: 'text', text: part }
            : { type: 'image_url', image_url: { url: part.image } },
        ),
      })),
      ...(then === undefined ? [] : [{ role: 'user', content: then }]),
    ],
    tools: [{ type: 'function', function: { name: TOOL, parameters } }],
  }),
  responses: ({ results, then }) => ({
    input: [
      { role: 'user', content: QUESTION },
      ...Object.keys(results).map((call_id) => ({
        ...{ type: 'function_call', call_id, name: TOOL, arguments: '{"at":"it"}' },
      })),
      ...Object.entries(results).map(([call_id, parts]) => ({
        type: 'function_call_output',
        call_id,
        output: parts.map((part) =>
          typeof part === 'string'
            ? { type: 'input_text', text: part }
            : { type: 'input_image', image_url: part.image, detail: 'auto' },
        ),
      })),
      ...(then === undefined ? [] : [{ role: 'user', content: then }]),
    ],
    tools: [{ type: 'function', name: TOOL, parameters }],
  }),
  messages: ({ results, then }) => ({
    max_tokens: 4_096,
    messages: [
      { role: 'user', content: QUESTION },
      {
        role: 'assistant',
        content: Object.keys(results).map((id) => ({
          ...{ type: 'tool_use', id, name: TOOL, input: { at: 'it' } },
        })),
      },
      {
        role: 'user',
        content: [
          ...Object.entries(results).map(([id, parts]) => ({
            type: 'tool_result',
            tool_use_id: id,
            content: parts.map((part) =>
              typeof part === 'string'
                ? { type: 'text', text: part }
                : { type: 'image', source: messagesSource(part.image) },
            ),
          })),
          ...(then === undefined ? [] : [{ type: 'text', text: then }]),
        ],
      },
    ],
    tools: [{ name: TOOL, input_schema: parameters }],
  }),
};

export function messagesSource(url: string): object {
  const [, media_type, data] = /^data:([^;]+);base64,(.*)$/.exec(url) ?? [];
  return data === undefined ? { type: 'url', url } : { type: 'base64', media_type, data };
}

/** One thing that the model sees after the calls: `at` is the id of the call whose result holds it, or `user`. */
export interface SeenPart {
  readonly at: string;
  readonly text?: string;
  /** A data URL, or an address. */
  readonly image?: string;
}

type Json = Readonly<Record<string, unknown>>;
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** Everything after the calls, in the order of the request. */
export function seenAfterCalls(sent: { path: string; body: unknown }): { wire: Wire; parts: SeenPart[] } {
  const wire = wireOf(sent.path);
  return { wire, parts: readers[wire](sent.body as Json) };
}

const readers: Readonly<Record<Wire, (body: Json) => SeenPart[]>> = {
  chat: ({ messages }) =>
    afterCalls(list(messages), ({ tool_calls: calls }) => calls !== undefined).flatMap((message) => {
      const at = message.role === 'tool' ? String(message.tool_call_id) : String(message.role);
      if (typeof message.content === 'string') return [{ at, text: message.content }];
      return list(message.content).map((part) => {
        if (part.type === 'text') return { at, text: String(part.text) };
        return { at, image: String((part.image_url as Json | undefined)?.url) };
      });
    }),
  responses: ({ input }) =>
    afterCalls(list(input), ({ type }) => type === 'function_call').flatMap((item) => {
      const at = item.type === 'function_call_output' ? String(item.call_id) : String(item.role);
      const held = item.output ?? item.content;
      if (typeof held === 'string') return [{ at, text: held }];
      return list(held).map((part) =>
        part.type === 'input_text' ? { at, text: String(part.text) } : { at, image: String(part.image_url) },
      );
    }),
  messages: ({ messages }) =>
    list(list(messages).at(-1)?.content).flatMap((block) => {
      if (block.type !== 'tool_result') return [messagesPart('user', block)];
      return list(block.content).map((part) => messagesPart(String(block.tool_use_id), part));
    }),
  google: ({ contents }) =>
    list(list(contents).at(-1)?.parts).flatMap((part) => {
      const response = part.functionResponse as Json | undefined;
      if (response === undefined) return [googlePart('user', part)];
      const at = String(response.id);
      const { result } = response.response as Json;
      return [{ at, text: String(result) }, ...list(response.parts).map((held) => googlePart(at, held))];
    }),
  bedrock: ({ messages }) =>
    list(list(messages).at(-1)?.content).flatMap((block) => {
      const result = block.toolResult as Json | undefined;
      if (result === undefined) return [bedrockPart('user', block)];
      return list(result.content).map((part) => bedrockPart(String(result.toolUseId), part));
    }),
};

function afterCalls(items: readonly Json[], calls: (item: Json) => boolean): readonly Json[] {
  return items.slice(items.findLastIndex(calls) + 1);
}

function messagesPart(at: string, { type, text, source }: Json): SeenPart {
  if (type === 'text') return { at, text: String(text) };
  const { url, media_type: mediaType, data } = source as Json;
  return { at, image: typeof url === 'string' ? url : `data:${mediaType};base64,${data}` };
}

function googlePart(at: string, { text, inlineData, fileData }: Json): SeenPart {
  if (typeof text === 'string') return { at, text };
  if (fileData !== undefined) return { at, image: String((fileData as Json).fileUri) };
  const { mimeType, data } = inlineData as Json;
  return { at, image: `data:${mimeType};base64,${data}` };
}

function bedrockPart(at: string, { text, image }: Json): SeenPart {
  if (typeof text === 'string') return { at, text };
  const { format, source } = image as Json;
  return { at, image: `data:image/${format};base64,${(source as Json).bytes}` };
}
