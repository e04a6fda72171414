/** Writes neutral messages as Gemini's contents. Pure. */

import { parseObject } from '../../kernel/json/read-json.ts';
import { Problem } from '../../kernel/problem.ts';
import type { SpokenMessage } from '../../text/place-system.ts';
import {
  CannotCarry,
  type InputPart,
  type MediaSource,
  type OutputPart,
  type Proof,
} from '../../text/text-call.ts';

export interface Content {
  readonly role: 'user' | 'model';
  readonly parts: object[];
}

/**
 * Newer models require the signature of each earlier tool call. Some formats cannot carry it; Google
 * documents this value for such histories.
 */
export const NO_SIGNATURE = 'skip_thought_signature_validator';
/** These models do not require signatures. */
const OLDER_MODELS = /gemini-[12][.-]/;

export function writeContents(messages: readonly SpokenMessage[], model: string): Content[] {
  const contents: Content[] = [];
  const names = new Map<string, string>();
  const signs = !OLDER_MODELS.test(model);
  for (const message of messages) {
    const { role, parts } = writeMessage(message, { names, signs });
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
    fileData: { mimeType: source.mediaType ?? mediaTypeOf(source.url) ?? fallback, fileUri: source.url },
  };
}

const mediaTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  heic: 'image/heic',
  heif: 'image/heif',
  pdf: 'application/pdf',
  txt: 'text/plain',
  csv: 'text/csv',
  html: 'text/html',
  md: 'text/markdown',
};

/** Google requires a media type, and only the extension of the URL shows it. */
function mediaTypeOf(url: string): string | undefined {
  const ending = /\.([a-z0-9]{1,5})(?:[?#]|$)/i.exec(url)?.[1];
  return ending === undefined ? undefined : mediaTypes[ending.toLowerCase()];
}

function writeResult(message: Extract<SpokenMessage, { role: 'tool' }>, { names }: History): object {
  const { callId, isError } = message;
  const name = names.get(callId);
  if (name === undefined) {
    throw new Problem('invalid_parameter', {
      detail: `The tool result for ${callId} has no matching tool call before it.`,
    });
  }
  const texts = message.parts.map((part) => {
    if (part.type !== 'text') throw new CannotCarry(part.type, 'in a tool result');
    return part.text;
  });
  const response = { [isError ? 'error' : 'result']: texts.join('\n') };
  return { functionResponse: { id: callId, name, response } };
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
      const functionCall = { id, name, args: readArguments(part.arguments) };
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

function readArguments(text: string): object {
  const args = parseObject(text);
  if (args === null) throw new CannotCarry('tools', 'with earlier arguments that are not a JSON object');
  return args;
}
