/** Writes neutral messages as Gemini's contents. Pure. */

import { parseObject } from '../../json/read-json.ts';
import { Problem } from '../../kernel/problem.ts';
import { typeOfExtension } from '../../text/media-types.ts';
import type { SpokenMessage } from '../../text/place-system.ts';
import {
  CannotCarry,
  type InputPart,
  type MediaSource,
  NOT_AN_OBJECT,
  type OutputPart,
  type Proof,
  type ToolCallPart,
} from '../../text/text-call.ts';
import { type HoldsMedia, moveToolMedia, type ToolMessage } from '../../text/tool-media.ts';

export interface Content {
  readonly role: 'user' | 'model';
  readonly parts: object[];
}

/**
 * Newer models require the signature of each earlier tool call. Some formats cannot carry it; Google
 * documents this value for such histories.
 */
export const NO_SIGNATURE = 'skip_thought_signature_validator';
/** These models do not require signatures, and their tool results hold only text. */
const OLDER_MODELS = /gemini-[12][.-]/;

export function writeContents(messages: readonly SpokenMessage[], model: string): Content[] {
  const contents: Content[] = [];
  const names = new Map<string, string>();
  const isNew = !OLDER_MODELS.test(model);
  for (const message of moveToolMedia(messages, isNew ? holdsMedia : undefined)) {
    const { role, parts } = writeMessage(message, { names, signs: isNew });
    const last = contents.at(-1);
    if (parts.length === 0) continue;
    if (last?.role === role) last.parts.push(...parts);
    else contents.push({ role, parts });
  }
  return contents;
}

interface History {
  /** The names of the tools called so far, by call id. */
  readonly names: Map<string, string>;
  readonly signs: boolean;
}

function writeMessage(message: SpokenMessage, history: History): Content {
  switch (message.role) {
    case 'user':
      return { role: 'user', parts: message.parts.map(writeInput) };
    case 'tool':
      return { role: 'user', parts: [writeResult(message, history)] };
    case 'assistant':
      return { role: 'model', parts: writeSpoken(message.parts, history) };
  }
}

function writeInput(part: InputPart): object {
  if (part.type === 'text') return { text: part.text };
  if (part.source.kind === 'url' && isStoredFile(part.source.url))
    throw new CannotCarry(part.type, 'at the address of a file that is stored at the provider');
  return writeMedia(part.source, part.type === 'image' ? 'image/jpeg' : 'application/pdf');
}

/** Google opens such addresses with the operator's account, which all spaces share. */
function isStoredFile(url: string): boolean {
  const { hostname, pathname } = new URL(url);
  return (
    /(?:^|[.-])generativelanguage\b.*\.googleapis\.com\.?$/.test(hostname) ||
    /^\/v1(?:alpha|beta)\w*\/files\//.test(pathname)
  );
}

function writeMedia(source: MediaSource, fallback: string): object {
  if (source.kind === 'data') return { inlineData: { mimeType: source.mediaType, data: source.base64 } };
  if (source.kind === 'asset') return { fileData: { mimeType: source.mediaType, fileUri: source.name } };
  return {
    // Google requires a media type, and only the extension of the URL shows it.
    fileData: { mimeType: source.mediaType ?? typeOfExtension(source.url) ?? fallback, fileUri: source.url },
  };
}

/** A result holds bytes of these types, but no address. */
const RESULT_TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'application/pdf', 'text/plain']);
const holdsMedia: HoldsMedia = ({ source }) => source.kind === 'data' && RESULT_TYPES.has(source.mediaType);

function writeResult({ callId, isError, parts: held, at }: ToolMessage, { names }: History): object {
  const name = names.get(callId);
  if (name === undefined) {
    throw new Problem('invalid_parameter', {
      detail: `The tool result for ${callId} has no matching tool call before it.`,
      ...(at !== undefined && { param: at }),
    });
  }
  const texts = held.flatMap((part) => (part.type === 'text' ? part.text : []));
  const parts = held.flatMap((part) => (part.type === 'text' ? [] : writeInput(part)));
  const response = { [isError ? 'error' : 'result']: texts.join('\n') };
  return { functionResponse: { id: callId, name, response, ...(parts.length > 0 && { parts }) } };
}

function writeSpoken(parts: readonly OutputPart[], history: History): object[] {
  // Of parallel tool calls only the first is signed.
  const first = history.signs ? parts.find((part) => part.type === 'tool_call') : undefined;
  return parts.flatMap((part) => writeOutput(part, history, part === first ? NO_SIGNATURE : null));
}

function writeOutput(part: OutputPart, { names }: History, signatureElse: string | null): object[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return [{ text: part.text }];
    case 'image':
      return [{ inlineData: { mimeType: part.mediaType, data: part.base64 } }];
    case 'reasoning':
      return writeThought(part.text, signatureOf(part.proof));
    case 'tool_call': {
      const { id, name } = part;
      names.set(id, name);
      const signature = signatureOf(part.proof) ?? signatureElse;
      const functionCall = { id, name, args: readArguments(part) };
      return [{ functionCall, ...(signature !== null && { thoughtSignature: signature }) }];
    }
  }
}

/** Google ignores reasoning that it did not sign. A signature without reasoning came with an empty text. */
function writeThought(text: string, signature: string | null): object[] {
  if (signature === null) return [];
  return [{ text, ...(text !== '' && { thought: true }), thoughtSignature: signature }];
}

function signatureOf(proof: Proof | null): string | null {
  return proof?.dialect === 'google' ? proof.value : null;
}

function readArguments({ arguments: text, at }: ToolCallPart): object {
  const args = parseObject(text);
  if (args === null) throw new CannotCarry('messages', NOT_AN_OBJECT, at);
  return args;
}
