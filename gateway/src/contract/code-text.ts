/** Values as shells and languages write them, for code that readers copy. Pure. */

/** The environment variable of a gateway key, in everything that we show. The command line reads it too. */
export const KEY_VARIABLE = 'TOLLGATE_KEY';

/** A word for a shell, in which nothing is replaced. */
export function shellText(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`;
}

/** A value for TypeScript and JSON. `indent`: the spaces before its last line. */
export function scriptText(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${' '.repeat(indent)}`);
}

/** A value for Python. `depth`: how many steps its last line is indented. */
export function pythonText(value: unknown, depth = 0): string {
  const pad = '    '.repeat(depth);
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((item) => `${pad}    ${pythonText(item, depth + 1)},\n`).join('')}${pad}]`;
  }
  if (typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return '{}';
  const lines = entries.map(
    ([name, item]) => `${pad}    ${JSON.stringify(name)}: ${pythonText(item, depth + 1)},\n`,
  );
  return `{\n${lines.join('')}${pad}}`;
}
