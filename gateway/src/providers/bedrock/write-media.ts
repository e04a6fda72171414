/** Images and documents for Converse, which takes only their bytes. Pure. */
import { CannotCarry, type FilePart, type ImagePart, type MediaSource } from '../../text/text-call.ts';

const imageFormats: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};

export function writeBedrockImage({ source }: ImagePart): object {
  const { mediaType, base64 } = inline(source, 'image');
  const format = imageFormats[mediaType];
  if (format === undefined) throw new CannotCarry('image', `of the type ${mediaType}`);
  return { image: { format, source: { bytes: base64 } } };
}

const documentFormats: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
};

/** `unique` makes a name that no other document of the request has. */
export function writeBedrockDocument({ source, name }: FilePart, unique: (name: string) => string): object {
  const { mediaType, base64 } = inline(source, 'file');
  const format = documentFormats[mediaType];
  if (format === undefined) throw new CannotCarry('file', `of the type ${mediaType}`);
  return { document: { format, name: unique(documentName(name)), source: { bytes: base64 } } };
}

/** Leaves room for a number behind it. */
const NAME_CHARACTERS_MAX = 190;

/** Bedrock allows few characters and no repeated spaces. */
function documentName(name: string | null): string {
  const allowed = (name ?? '').replaceAll(/[^A-Za-z0-9\s()[\]-]/g, '-').replaceAll(/\s+/g, ' ');
  return allowed.trim().slice(0, NAME_CHARACTERS_MAX) || 'file';
}

function inline(source: MediaSource, field: 'image' | 'file'): Extract<MediaSource, { kind: 'data' }> {
  if (source.kind !== 'data') throw new CannotCarry(field, 'by URL');
  return source;
}
