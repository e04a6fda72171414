/** Finds the URLs of images, documents and servers in a messages request. */
import type { CountTokensRequest } from '../../../contract/messages.ts';
import { pathName } from '../../../kernel/json/path-name.ts';
import { isObject, objectOf } from '../../../kernel/json/read-json.ts';
import type { JsonPath } from '../../../kernel/json/replace-values.ts';
import { isAddress, type MediaAddress } from '../../media-address.ts';
import { mediaUrl } from '../../read-media.ts';
import { writeSource } from './write-source.ts';

export function readMessagesAddresses(request: CountTokensRequest): MediaAddress[] {
  const { messages } = request;
  const { mcp_servers: servers } = request as { mcp_servers?: unknown };
  const found: MediaAddress[] = Array.isArray(servers) ? serversOf(servers) : [];
  for (let i = 0; i < messages.length; i++) {
    const content = messages[i]?.content;
    if (Array.isArray(content)) inBlocks(content, ['messages', i, 'content'], found);
  }
  return found;
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

/** A tool result or a document may contain images. */
function inBlocks(blocks: readonly unknown[], path: JsonPath, found: MediaAddress[]): void {
  for (const [i, block] of blocks.entries()) {
    if (!isObject(block) || block.type === 'text') continue;
    const at = [...path, i];
    if (Array.isArray(block.content)) inBlocks(block.content, [...at, 'content'], found);
    const { type, url, content } = objectOf(block.source);
    if (Array.isArray(content)) inBlocks(content, [...at, 'source', 'content'], found);
    if (type !== 'url' || !isAddress(url)) continue;
    const of = block.type === 'image' ? 'image' : 'file';
    const source = [...at, 'source'];
    found.push({ url, of, param: pathName([...source, 'url']), path: source, put: writeSource });
  }
}
