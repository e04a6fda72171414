/** Where the examples of administration happen. */
import { ExampleResult } from '../example-values.ts';

/** The space of the demo. */
export const demo = { space: 'demo' };

/** The space that the example of `spaces.create` creates. */
export const acme = { space: new ExampleResult('spaces.create', 'name') };

export const OWNER = 'demo@example.com';
export const NEW_MEMBER = 'lee@example.com';
export const PASSWORD = 'correct horse battery staple';
export const LAST_PAGE = { next_cursor: null };

/** In the answer of an operation that takes rights away from someone who left nothing behind. */
export const NOTHING_LOST = { tokens_ended: [], tokens_kept: [], invitations_revoked: [] };

/** Of an operation with `keep_tokens`, by someone who takes rights away from themselves. */
export const ownTokens = {
  detail: 'You lose the right to these tokens yourself, so you cannot keep them. Leave out keep_tokens.',
  param: 'keep_tokens',
};
