/** Reads a message of a messages request as neutral messages. */
import type {
  BlockSource,
  ContentBlock,
  KnownBlock,
  ToolResultBlock,
} from '../../../contract/message-blocks.ts';
import type { MessagesRequest } from '../../../contract/messages.ts';
import { messagesProblem } from '../../../contract/messages-refusal.ts';
import { usualType } from '../../../kernel/media-types.ts';
import { readCacheMarker } from '../../cache-marker.ts';
import { readMediaUrl } from '../../read-media.ts';
import { isUnset } from '../../reject-field.ts';
import { rejectOtherFields } from '../../reject-other-fields.ts';
import type { InputPart, MediaSource, OutputPart, Proof, TextMessage } from '../../text-call.ts';
import { messagesBlocks, messagesObjects } from './read-fields.ts';
import { extraInput, unsupportedKind } from './reject-field.ts';
import { readCallProof, readSealed, readSignature } from './write-thinking.ts';

type Message = MessagesRequest['messages'][number];

/** The path of a block and the model, for errors. */
interface Place {
  readonly path: string;
  readonly model: string;
}

/** Tool results are blocks of a user message here, and separate messages in other formats. */
export function readMessage(message: Message, path: string, model: string): TextMessage[] {
  if (message.role !== 'assistant')
    rejectOtherFields(message, messagesObjects.message, { path, model }, extraInput);
  return readUnplaced(message, path, model).map((read) => ({ ...read, at: path }));
}

function readUnplaced(message: Message, path: string, model: string): TextMessage[] {
  const { role, content = '' } = message;
  if (role === 'system') return readSystem(message, { path, model });
  if (typeof content === 'string') {
    const parts = [{ type: 'text', text: content } as const];
    return [role === 'user' ? { role, parts } : { role, parts: content === '' ? [] : parts }];
  }
  const placed = content.map((block, i) => ({ block, at: { path: `${path}.content[${i}]`, model } }));
  if (role === 'assistant') return [{ role, parts: readAnswer(placed) }];
  const results = placed.flatMap(({ block, at }) => (isResult(block) ? [readResult(block, at)] : []));
  const parts = placed.flatMap(({ block, at }) => (isResult(block) ? [] : readInput(block, at)));
  return parts.length === 0 && results.length > 0 ? results : [...results, { role, parts }];
}

/** How long it is shown and the effort from there on are settings that no other format has within a conversation. */
function readSystem(message: Message, { path, model }: Place): TextMessage[] {
  const { clear_at: until, output_config: output } = message as Record<string, unknown>;
  if (!isUnset(until) && until !== 'never') throw extraInput(`${path}.clear_at`, model);
  if (!isUnset(output)) throw extraInput(`${path}.output_config`, model);
  const text = readSystemText(message.content ?? '', { path: `${path}.content`, model });
  return [{ role: 'system', text }];
}

function readSystemText(content: string | readonly ContentBlock[], at: Place): string {
  return readContent(content, at)
    .map((part, i) => {
      if (part.type !== 'text') throw unsupportedKind(`${at.path}[${i}]`, part.type, at.model);
      return part.text;
    })
    .join('\n');
}

function isResult(block: ContentBlock): block is ToolResultBlock {
  return block.type === 'tool_result';
}

function checkBlock(block: ContentBlock, at: Place): void {
  rejectOtherFields(block, messagesBlocks.get(block.type), at, extraInput);
}

function readResult(block: ToolResultBlock, { path, model }: Place): TextMessage {
  checkBlock(block, { path, model });
  const parts = readContent(block.content ?? [], { path: `${path}.content`, model });
  const isError = block.is_error === true;
  return { role: 'tool', callId: block.tool_use_id, parts, isError, ...readCacheMarker(block) };
}

function readContent(content: string | readonly ContentBlock[], { path, model }: Place): InputPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.flatMap((block, i) => readInput(block, { path: `${path}[${i}]`, model }));
}

/** A marker belongs to the end of the block. */
function readInput(given: ContentBlock, at: Place): InputPart[] {
  checkBlock(given, at);
  const parts = readInputParts(given, at);
  const { cache } = readCacheMarker(given);
  const last = parts.at(-1);
  if (cache === undefined || last === undefined) return parts;
  return [...parts.slice(0, -1), { ...last, cache }];
}

function readInputParts(given: ContentBlock, at: Place): InputPart[] {
  const block = given as KnownBlock;
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text }];
    case 'image':
      return [{ type: 'image', source: readSource(block.source, at), detail: null }];
    case 'document':
      return readDocument(block, at);
    // The result of a tool search; the tool itself is in `tools` (`offeredTools` of read-call.ts).
    case 'tool_reference':
      return [{ type: 'text', text: `The tool ${block.tool_name} is loaded.` }];
    default:
      throw unsupportedKind(at.path, given.type, at.model);
  }
}

/** A document of plain text, or of text blocks, becomes that text. */
function readDocument(block: Extract<KnownBlock, { type: 'document' }>, at: Place): InputPart[] {
  const { source, title = null } = block;
  const { citations, context, content } = { ...source, ...block } as Record<string, unknown>;
  if (!isUnset(context)) throw extraInput(`${at.path}.context`, at.model);
  if ((citations as { enabled?: unknown } | undefined)?.enabled === true)
    throw extraInput(`${at.path}.citations`, at.model);
  const cover: InputPart[] = title ? [{ type: 'text', text: title }] : [];
  if (source.type === 'text') return [...cover, { type: 'text', text: source.data ?? '' }];
  if (source.type === 'content' && (typeof content === 'string' || Array.isArray(content)))
    return [...cover, ...readContent(content, { path: `${at.path}.source.content`, model: at.model })];
  return [{ type: 'file', source: readSource(source, at), name: title }];
}

function readSource(source: BlockSource, { path, model }: Place): MediaSource {
  const { type, media_type: mediaType, data: base64, url } = source;
  if (type === 'base64' && mediaType !== undefined && base64 !== undefined)
    return { kind: 'data', mediaType: usualType(mediaType.toLowerCase()), base64 };
  if (type === 'url' && url !== undefined) return readMediaUrl(url, `${path}.source.url`);
  if (type !== 'base64' && type !== 'url') throw unsupportedKind(`${path}.source`, type, model);
  const missing = type === 'url' ? 'url' : mediaType === undefined ? 'media_type' : 'data';
  throw messagesProblem(`${path}.source.${missing}`, 'Field required');
}

/** A proof that precedes its tool call becomes part of the call. */
function readAnswer(placed: ReadonlyArray<{ block: ContentBlock; at: Place }>): OutputPart[] {
  const parts: OutputPart[] = [];
  let proof: Proof | null = null;
  for (const { block, at } of placed) {
    const { type, data } = block as { type: string; data?: string };
    const callProof = type === 'redacted_thinking' ? readCallProof(data ?? '') : null;
    if (callProof !== null) {
      proof = callProof;
      continue;
    }
    const part = readSpoken(block, at);
    parts.push(part.type === 'tool_call' ? { ...part, proof } : part);
    if (part.type === 'tool_call') proof = null;
  }
  return parts;
}

function readSpoken(given: ContentBlock, { path, model }: Place): OutputPart {
  rejectOtherFields(given, messagesObjects.answered, { path, model }, extraInput);
  const block = given as KnownBlock;
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text, ...readCacheMarker(block) };
    case 'thinking':
      return { type: 'reasoning', text: block.thinking, proof: readSignature(block.signature ?? '') };
    case 'redacted_thinking':
      return { type: 'reasoning', text: '', proof: readSealed(block.data) };
    case 'tool_use': {
      const { id, name, input } = block;
      return {
        type: 'tool_call',
        id,
        name,
        arguments: JSON.stringify(input),
        proof: null,
        ...readCacheMarker(block),
      };
    }
    default:
      throw unsupportedKind(path, given.type, model);
  }
}
