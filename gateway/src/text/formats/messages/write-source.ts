import type { MediaSource } from '../../text-call.ts';

/** An image or a document as the blocks of this format have it. */
export function writeSource(source: MediaSource): object {
  switch (source.kind) {
    case 'url':
      return { type: 'url', url: source.url };
    case 'asset':
      return { type: 'file', file_id: source.name };
    case 'data':
      return { type: 'base64', media_type: source.mediaType, data: source.base64 };
  }
}
