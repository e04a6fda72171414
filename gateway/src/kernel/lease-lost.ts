/**
 * A lease ended before its work did, so another process may have taken the work over. Nothing may be written under the
 * lease any more. This is not a failure of the database, and sending the same statement again does not help.
 */
export class LeaseLost extends Error {
  override readonly name: string = 'LeaseLost';
}
