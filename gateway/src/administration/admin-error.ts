/** An operation that cannot be carried out. The message says why, and what to do. */
export class AdminError extends Error {
  override readonly name = 'AdminError';
}
