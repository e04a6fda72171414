import { defineConfig } from 'vitest/config';
import { EMBEDDED_FLAGS } from './test/support/node-flags.ts';

export default defineConfig({
  test: {
    pool: 'forks',
    // Tests wait for processes that they start and kill; one more worker uses that time.
    maxWorkers: 3,
    execArgv: [...EMBEDDED_FLAGS],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'product',
          include: ['test/**/*.test.ts', 'simulator/**/*.test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
        },
      },
      {
        // Beside the code are the tests of what is pure, which share a process: most of their time was its start.
        extends: true,
        test: { name: 'parts', include: ['src/**/*.test.ts'], isolate: false },
      },
    ],
  },
});
