/** Fills in the placeholders of a template. Pure. */
import {
  TEMPLATE_PLACEHOLDER,
  type videoPlaceholders,
} from '../../catalog/dialects/http-video/http-video.ts';

export type VideoPlaceholder = (typeof videoPlaceholders)[number];
/** Undefined: the caller did not set it. */
export type PlaceholderValues = Readonly<Partial<Record<string, unknown>>>;

/**
 * A string that is a single placeholder becomes its value, of any type; inside a longer string it becomes
 * text. A string with an unset placeholder is left out, and so is an object or list that becomes empty.
 */
export function fillTemplate(template: unknown, values: PlaceholderValues): unknown {
  if (typeof template === 'string') return fillText(template, values);
  if (Array.isArray(template)) {
    const items = template.map((item) => fillTemplate(item, values)).filter((item) => item !== undefined);
    return items.length === 0 && template.length > 0 ? undefined : items;
  }
  if (typeof template !== 'object' || template === null) return template;
  const before = Object.entries(template);
  const after = before.flatMap(([key, item]) => {
    const filled = fillTemplate(item, values);
    return filled === undefined ? [] : [[key, filled] as const];
  });
  return after.length === 0 && before.length > 0 ? undefined : Object.fromEntries(after);
}

/** The placeholders of a template. */
export function placeholdersIn(template: unknown): ReadonlySet<string> {
  if (typeof template === 'string') {
    return new Set([...template.matchAll(TEMPLATE_PLACEHOLDER)].map((match) => match[1] as string));
  }
  const items = typeof template === 'object' && template !== null ? Object.values(template) : [];
  return new Set(items.flatMap((item) => [...placeholdersIn(item)]));
}

function fillText(text: string, values: PlaceholderValues): unknown {
  const alone = /^\{\{([^{}]*)\}\}$/.exec(text)?.[1];
  if (alone !== undefined) return values[alone];
  let missing = false;
  const filled = text.replaceAll(TEMPLATE_PLACEHOLDER, (_, word: string) => {
    missing ||= values[word] === undefined;
    return String(values[word]);
  });
  return missing ? undefined : filled;
}
