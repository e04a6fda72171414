/** MIME types of media, by the names that providers know. */

/** Some formats have several MIME types, of which providers accept one. */
export function usualType(mimeType: string): string {
  return usualTypes[mimeType] ?? mimeType;
}

const usualTypes: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/mp3': 'audio/mpeg',
};
