/** What the command line adds to an error of an operation: the command that helps. */

/** By the field that was not found: the command that lists what there is. */
const LISTS: Readonly<Record<string, string>> = {
  space: 'spaces list',
  name: 'keys list',
  alias: 'aliases list',
  email: 'members list',
  project: 'projects list',
  build: 'builds list PROJECT',
  batch: 'batches list',
};

interface Failed {
  readonly operation: string;
  readonly input: object;
  readonly code: string | undefined;
  readonly param: string | null | undefined;
}

/** Null where the error says enough. */
export function hintFor({ operation, input, code = '', param }: Failed): string | null {
  if (param === 'space' && !('space' in input && input.space !== undefined)) {
    if (code === 'invalid_parameter') return 'Write --space NAME, or set TOLLGATE_SPACE.';
    return 'Create one with "tollgate spaces create NAME".';
  }
  if (code.endsWith('_credentials')) return 'Use "tollgate login", or set TOLLGATE_TOKEN to a valid token.';
  if (param === 'models') return '"tollgate models" lists them.';
  if (!code.endsWith('not_found')) return null;
  const list = operation.startsWith('operators.') ? 'operators list' : LISTS[param ?? ''];
  return list === undefined ? null : `"tollgate ${list}" shows them.`;
}

/** The same error, with the hint at its end. */
export function withHint(
  error: unknown,
  { operation, input }: { operation: string; input: object },
): unknown {
  if (!(error instanceof Error)) return error;
  const { code, param } = error as { code?: string; param?: string | null };
  const hint = hintFor({ operation, input, code, param });
  if (hint !== null) error.message = `${error.message} ${hint}`;
  return error;
}
