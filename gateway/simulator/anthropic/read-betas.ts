/** What the beta header of a request admits. */
export interface Betas {
  /** The older `output_format`. */
  readonly olderFormat: boolean;
  readonly contextManagement: boolean;
  /** Tools that are loaded once they were found. */
  readonly deferredTools: boolean;
}

export function readBetas(header: string | null): Betas {
  const names = (header ?? '').split(',').map((name) => name.trim());
  const has = (beginning: string): boolean => names.some((name) => name.startsWith(beginning));
  return {
    olderFormat: has('structured-outputs-2025-11-13'),
    contextManagement: has('context-management-'),
    deferredTools: has('advanced-tool-use-') || has('tool-search-tool-'),
  };
}
