import type { MediaSource } from '../../text-call.ts';

/** Writes the source of an image or document block. */
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
