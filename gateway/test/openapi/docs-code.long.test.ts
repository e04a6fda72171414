/** All code of the API's pages, in every language: one process for each request. */
import { expect, test } from 'vitest';
import { runShownCode } from '../support/run-shown-code.ts';
import { hasPython } from '../support/shown-code.ts';

test.each(['curl', 'javascript', ...(hasPython ? (['python'] as const) : [])] as const)(
  'every request that the pages show for %s succeeds',
  async (language) => {
    const { run, failed } = await runShownCode(language);
    expect(failed).toEqual([]);
    expect(run).toBeGreaterThan(130);
  },
  300_000,
);
