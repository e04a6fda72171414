/** What was typed cannot be understood: a wrong value, or options that do not fit together. Exits with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
