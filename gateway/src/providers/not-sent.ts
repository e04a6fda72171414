/** The provider cannot have made what it was asked for: not all of the request left us. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
  constructor(cause: unknown) {
    super('the request was not sent', { cause });
  }
}
