/** Finds the URLs of images, documents and servers in a messages request, and media types to be corrected. */
import type { CountTokensRequest } from '../../../contract/messages.ts';
import { pathName } from '../../../json/path-name.ts';
import { isObject, type Json, objectOf } from '../../../json/read-json.ts';
import type { JsonEdit, JsonPath } from '../../../json/replace-values.ts';
import { isAddress, type MediaAddress } from '../../media-address.ts';
import { mediaUrl } from '../../read-media.ts';
import { editMediaType } from '../../usual-types.ts';
import { writeSource } from './write-source.ts';

export function readMessagesAddresses(request: CountTokensRequest): MediaAddress[] {
  const { mcp_servers: servers } = request as { mcp_servers?: unknown };
  const found: MediaAddress[] = Array.isArray(servers) ? serversOf(servers) : [];
  eachSource(request, ({ type, url }, { path, of }) => {
    if (type !== 'url' || !isAddress(url)) return;
    found.push({ url, of, param: pathName([...path, 'url']), path, put: writeSource });
  });
  return found;
}

export function readMessagesMediaTypes(request: CountTokensRequest): JsonEdit[] {
  const edits: JsonEdit[] = [];
  eachSource(request, ({ type, media_type: written }, { path }) => {
    const edit = type === 'base64' ? editMediaType(written, [...path, 'media_type']) : null;
    if (edit !== null) edits.push(edit);
  });
  return edits;
}

/** MCP servers that the provider connects to. */
function serversOf(servers: readonly unknown[]): MediaAddress[] {
  return servers.flatMap((server, i) => {
    const path = ['mcp_servers', i, 'url'];
    const { url } = objectOf(server);
    if (typeof url !== 'string') return [];
    return [{ url, of: 'server' as const, param: pathName(path), path, put: mediaUrl }];
  });
}

type TakeSource = (source: Json, at: { path: JsonPath; of: 'image' | 'file' }) => void;

function eachSource({ messages }: CountTokensRequest, take: TakeSource): void {
  for (let i = 0; i < messages.length; i++) {
    const content = messages[i]?.content;
    if (Array.isArray(content)) inBlocks(content, ['messages', i, 'content'], take);
  }
}

/** A tool result or a document may contain images. */
function inBlocks(blocks: readonly unknown[], path: JsonPath, take: TakeSource): void {
  for (const [i, block] of blocks.entries()) {
    if (!isObject(block) || block.type === 'text') continue;
    const at = [...path, i];
    if (Array.isArray(block.content)) inBlocks(block.content, [...at, 'content'], take);
    const { source } = block;
    if (!isObject(source)) continue;
    if (Array.isArray(source.content)) inBlocks(source.content, [...at, 'source', 'content'], take);
    take(source, { path: [...at, 'source'], of: block.type === 'image' ? 'image' : 'file' });
  }
}
