/** Finds the URLs of images and files in a chat request, and media types to be corrected. */
import type { ChatRequest } from '../../../contract/chat.ts';
import { pathName } from '../../../json/path-name.ts';
import { objectOf } from '../../../json/read-json.ts';
import type { JsonEdit } from '../../../json/replace-values.ts';
import { hasScheme, isAddress, type MediaAddress } from '../../media-address.ts';
import { mediaUrl } from '../../read-media.ts';
import { editDataUrl } from '../../usual-types.ts';

export function readChatAddresses({ messages }: ChatRequest): MediaAddress[] {
  const found: MediaAddress[] = [];
  for (let i = 0; i < messages.length; i++) {
    const content = messages[i]?.content;
    if (!Array.isArray(content)) continue;
    for (const [j, part] of content.entries()) {
      const at = ['messages', i, 'content', j];
      const url = part.image_url?.url;
      if (part.type === 'image_url' && isAddress(url)) {
        found.push(addressAt([...at, 'image_url', 'url'], url, 'image'));
      } else if (part.type === 'file') {
        const { file_data: data } = objectOf((part as { file?: unknown }).file);
        if (hasScheme(data)) found.push(addressAt([...at, 'file', 'file_data'], data, 'file'));
      }
    }
  }
  return found;
}

function addressAt(path: MediaAddress['path'], url: string, of: MediaAddress['of']): MediaAddress {
  return { url, of, param: pathName(path), path, put: mediaUrl };
}

export function readChatMediaTypes({ messages }: ChatRequest): JsonEdit[] {
  return messages.flatMap(({ content }, i) =>
    (Array.isArray(content) ? content : []).flatMap(
      (part, j) => editDataUrl(part.image_url?.url, ['messages', i, 'content', j, 'image_url', 'url']) ?? [],
    ),
  );
}
