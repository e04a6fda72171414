/** The conditions with which genai-prices recognises a model by its name. Pure. */
import { type Data, isDataObject } from './parse-data.ts';

const tests: Readonly<Record<string, (name: string, text: string) => boolean>> = {
  equals: (name, text) => name === text,
  starts_with: (name, text) => name.startsWith(text),
  ends_with: (name, text) => name.endsWith(text),
  contains: (name, text) => name.includes(text),
  regex: matchesPattern,
};

export function matchesModel(logic: Data | undefined, upstreamModel: string): boolean {
  if (!isDataObject(logic)) return false;
  const name = upstreamModel.toLowerCase();
  return Object.entries(logic).some(([kind, value]) => {
    if (Array.isArray(value)) {
      const parts = value as readonly Data[];
      return kind === 'and'
        ? parts.every((part) => matchesModel(part, name))
        : parts.some((part) => matchesModel(part, name));
    }
    return typeof value === 'string' && (tests[kind]?.(name, value.toLowerCase()) ?? false);
  });
}

function matchesPattern(name: string, pattern: string): boolean {
  try {
    return new RegExp(pattern).test(name);
  } catch {
    return false;
  }
}
