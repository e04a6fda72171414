/**
 * What a call is attributed to: a value of each dimension. Its id follows from the values, so that processes agree without
 * asking. Pure.
 */
import { hash } from 'node:crypto';

export const END_USER = 'end_user';
export const SESSION = 'session';
export const TAG = 'tag:';
/** Tags that were not kept, because there are too many: `*` is no key. */
export const OTHER_TAGS = `${TAG}*`;

/**
 * By dimension: `tag:team`, `end_user`, `session`. Null: a value that is not kept, which counts as other. No caller can send
 * null, so none can pretend to be other.
 */
export type AttributionValues = Readonly<Record<string, string | null>>;

export interface Attribution {
  /** The same for the same values, in each space. */
  readonly id: string;
  /** The values as canonical JSON. */
  readonly text: string;
  readonly values: AttributionValues;
}

export function tagDimension(key: string): string {
  return TAG + key;
}

export function isTagDimension(dimension: string): boolean {
  return dimension.startsWith(TAG);
}

/** The values in the order of their dimensions, as JSON. */
export function canonicalText(values: AttributionValues): string {
  const dimensions = Object.keys(values);
  if (dimensions.length > 1) dimensions.sort();
  let text = '';
  for (const dimension of dimensions) {
    const comma = text === '' ? '' : ',';
    text += `${comma}${JSON.stringify(dimension)}:${JSON.stringify(values[dimension])}`;
  }
  return `{${text}}`;
}

export const ID_CHARACTERS = 22;

export function attributionOf(values: AttributionValues, text = canonicalText(values)): Attribution {
  return { id: hash('sha256', text, 'base64url').slice(0, ID_CHARACTERS), text, values };
}

/** Of stored values. */
export function readAttribution(text: string): Attribution {
  return attributionOf(JSON.parse(text) as AttributionValues, text);
}
