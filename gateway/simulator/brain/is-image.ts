/** Whether a file begins as one of its type does; a dot is any byte. */
const BEGINNINGS: Readonly<Record<string, string>> = {
  'image/jpeg': '\xff\xd8\xff',
  'image/png': '\x89PNG\r\n\x1a\n',
  'image/webp': 'RIFF....WEBP',
};

export function isImage(data: Buffer, type: string): boolean {
  const begins = BEGINNINGS[type] ?? null;
  if (begins === null) return false;
  return [...begins].every((character, at) => character === '.' || data[at] === character.charCodeAt(0));
}
