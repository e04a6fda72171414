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
