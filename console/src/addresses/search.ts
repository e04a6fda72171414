/** The part of an address after the question mark: what is open and chosen on a page. All values are words. */

export type Search = Readonly<Record<string, string | undefined>>;

export function readSearch(search: Record<string, unknown>): Search {
  return Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

/** Not read as JSON: a model may be called 1. */
export function parseSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text));
}

export function printSearch(search: Record<string, unknown>): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}
