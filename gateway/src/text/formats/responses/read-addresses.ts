/** Finds the URLs of images, files and servers in a responses request, and media types to be corrected. */
import type { ResponsesRequest } from '../../../contract/responses.ts';
import { pathName } from '../../../json/path-name.ts';
import { isObject, type Json, listOf } from '../../../json/read-json.ts';
import type { JsonEdit, JsonPath } from '../../../json/replace-values.ts';
import { hasScheme, isAddress, type MediaAddress, NO_ADDRESSES } from '../../media-address.ts';
import { dataUrl, mediaUrl } from '../../read-media.ts';
import { editDataUrl } from '../../usual-types.ts';

export function readResponsesAddresses({ input, tools }: ResponsesRequest): readonly MediaAddress[] {
  const servers = tools ? serversOf(tools as readonly Json[], ['tools']) : NO_ADDRESSES;
  if (typeof input === 'string') return servers;
  const found: MediaAddress[] = [...servers];
  for (const [i, item] of (input as readonly Json[]).entries())
    if (item.tools !== undefined) found.push(...serversOf(listOf(item.tools), ['input', i, 'tools']));
  eachPart(input as readonly Json[], (part, path) => found.push(...inPart(part, path)));
  return found;
}

export function readResponsesMediaTypes({ input }: ResponsesRequest): JsonEdit[] {
  const edits: JsonEdit[] = [];
  eachPart(typeof input === 'string' ? [] : (input as readonly Json[]), (part, path) => {
    const edit = editDataUrl(part.image_url, [...path, 'image_url']);
    if (edit !== null) edits.push(edit);
  });
  return edits;
}

function eachPart(items: readonly Json[], take: (part: Json, path: JsonPath) => void): void {
  for (const [i, item] of items.entries()) {
    for (const name of ['content', 'output']) {
      const held = item[name];
      const at = ['input', i, name];
      if (Array.isArray(held)) {
        for (const [j, part] of held.entries()) if (isObject(part)) take(part, [...at, j]);
      } else if (isObject(held)) take(held, at);
    }
  }
}

/** MCP servers that the provider connects to. Items that load tools have some too. */
function serversOf(tools: readonly Json[], at: JsonPath): MediaAddress[] {
  return tools.flatMap((tool, i) => {
    const path = [...at, i, 'server_url'];
    const { server_url: url } = tool;
    if (typeof url !== 'string') return [];
    return [{ url, of: 'server' as const, param: pathName(path), path, put: mediaUrl }];
  });
}

function inPart(part: Json, path: JsonPath): MediaAddress[] {
  const { type, image_url: image, file_url: file, file_data: data } = part;
  if (type === 'input_text' || type === 'output_text') return [];
  if (isAddress(image)) return [imageAt(part, image, path)];
  if (isAddress(file)) return [fileAt(part, file, { path, name: 'file_url' })];
  return hasScheme(data) ? [fileAt(part, data, { path, name: 'file_data' })] : [];
}

function imageAt(part: Json, url: string, path: JsonPath): MediaAddress {
  const { image_url: _, ...rest } = part;
  return {
    url,
    of: 'image',
    path,
    param: pathName([...path, 'image_url']),
    put: (source) =>
      source.kind === 'asset' ? { ...rest, file_id: source.name } : { ...rest, image_url: mediaUrl(source) },
  };
}

function fileAt(part: Json, url: string, { path, name }: { path: JsonPath; name: string }): MediaAddress {
  const { file_url: _, file_data: __, ...rest } = part;
  return {
    url,
    of: 'file',
    path,
    param: pathName([...path, name]),
    put(source) {
      if (source.kind === 'asset') return { ...rest, file_id: source.name };
      if (source.kind === 'url') return { ...rest, file_url: source.url };
      return { filename: 'file', ...rest, file_data: dataUrl(source) };
    },
  };
}
