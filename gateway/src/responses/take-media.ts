/**
 * Takes large media out of the items of a response, so that they are stored once, and puts them back. Their places are
 * stored separately from the items, so that no text of a caller can be mistaken for a place.
 */

/** Shorter texts stay in the items. */
export const MEDIA_CHARACTERS_MIN = 4_096;

/** Fields that contain base64 without a marker; elsewhere it is a data URL. */
const MEDIA_FIELDS = new Set(['result', 'file_data', 'data', 'b64_json', 'image_url']);

export interface MediaPlace {
  /** A JSON pointer without its first slash. */
  readonly place: string;
}

export interface TakenMedium extends MediaPlace {
  readonly text: string;
}

/** Returns the same list if there is nothing to take out. */
export function takeMedia(items: readonly unknown[]): { items: readonly unknown[]; taken: TakenMedium[] } {
  const taken: TakenMedium[] = [];
  const walk = (value: unknown, name: string, place: string): unknown => {
    if (typeof value === 'string') {
      if (!isMedium(value, name)) return value;
      taken.push({ place, text: value });
      return '';
    }
    if (typeof value !== 'object' || value === null) return value;
    const before = taken.length;
    const entries = Object.entries(value).map(
      ([key, field]) => [key, walk(field, key, `${place}${place === '' ? '' : '/'}${escaped(key)}`)] as const,
    );
    if (taken.length === before) return value;
    return Array.isArray(value) ? entries.map(([, field]) => field) : Object.fromEntries(entries);
  };
  return { items: walk(items, '', '') as readonly unknown[], taken };
}

/** Modifies the items in place; they were parsed for this. */
export function putMedium(items: unknown, { place, text }: TakenMedium): void {
  const steps = place.split('/').map(unescaped);
  const last = steps.pop() ?? '';
  let at = items as Record<string, unknown>;
  for (const step of steps) at = at[step] as Record<string, unknown>;
  at[last] = text;
}

function isMedium(text: string, field: string): boolean {
  if (text.length < MEDIA_CHARACTERS_MIN) return false;
  // Blobs are UTF-8; a text that UTF-8 cannot represent exactly stays in the items.
  return (text.startsWith('data:') || MEDIA_FIELDS.has(field)) && text.isWellFormed();
}

function escaped(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1');
}

function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
