import { record } from '../json.ts';

/** Google writes `STRING` where JSON Schema has `string`, and takes both. */
export function lowerTypes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(lowerTypes);
  const fields = record(schema);
  if (fields === null) return schema;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      name === 'type' && typeof value === 'string' ? value.toLowerCase() : lowerTypes(value),
    ]),
  );
}
