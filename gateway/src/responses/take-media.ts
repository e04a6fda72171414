/**
 * Takes large media out of the items of a response, so that they are stored once, and puts them back. Where
 * they stood is told beside the items and not in them: nothing a caller writes can look like a place.
 */

/** Shorter texts stay in the items. */
export const MEDIA_CHARACTERS_MIN = 4_096;

/** Fields that hold bytes in base64 without saying so; elsewhere a data URL says it. */
const MEDIA_FIELDS = new Set(['result', 'file_data', 'data', 'b64_json', 'image_url']);

export interface MediaPlace {
  /** A JSON pointer without its first slash. */
  readonly place: string;
}

export interface TakenMedium extends MediaPlace {
  readonly text: string;
}

/** The same list when there is nothing to take. */
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

/** In place: the items were parsed for this. */
export function putMedium(items: unknown, { place, text }: TakenMedium): void {
  const steps = place.split('/').map(unescaped);
  const last = steps.pop() ?? '';
  let at = items as Record<string, unknown>;
  for (const step of steps) at = at[step] as Record<string, unknown>;
  at[last] = text;
}

function isMedium(text: string, field: string): boolean {
  if (text.length < MEDIA_CHARACTERS_MIN) return false;
  // Blobs are UTF-8; what that cannot hold exactly stays where it is.
  return (text.startsWith('data:') || MEDIA_FIELDS.has(field)) && text.isWellFormed();
}

function escaped(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1');
}

function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
