import { defineConfig } from 'vitest/config';
import { memoryFolder } from './test/support/memory-folder.ts';
import { EMBEDDED_FLAGS } from './test/support/node-flags.ts';

// Tests create hundreds of databases; on a disk, that takes a quarter of their time.
const folder = memoryFolder();
if (folder !== null) process.env.TMPDIR ??= folder;

export default defineConfig({
  test: {
    pool: 'forks',
    // Tests wait for processes that they start and kill; one more worker uses that time.
    maxWorkers: 4,
    execArgv: [...EMBEDDED_FLAGS],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // How soon something is seen depends on what else the machine does; a poll ends when it is seen.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      {
        // A process for many files: to load the product for each took a fifth of the time.
        extends: true,
        test: {
          name: 'product',
          include: ['test/**/*.test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'parts', include: ['src/**/*.test.ts'], isolate: false } },
      // Its tests share a simulator that is started once for each file.
      { extends: true, test: { name: 'simulator', include: ['simulator/**/*.test.ts'] } },
    ],
  },
});
