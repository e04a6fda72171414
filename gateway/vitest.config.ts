import { defineConfig } from 'vitest/config';
import { EMBEDDED_FLAGS } from './test/support/node-flags.ts';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'simulator/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    execArgv: [...EMBEDDED_FLAGS],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
