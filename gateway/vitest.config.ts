import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { clientsFrom } from './test/clients/latest/client-packages.ts';
import { memoryFolder } from './test/support/memory-folder.ts';
import { PATIENCE_MS } from './test/support/patience.ts';
import { SlowestFirst } from './test/support/slowest-first.ts';

// Tests create hundreds of databases; on a disk, that takes a quarter of their time.
const folder = memoryFolder();
if (folder !== null) process.env.TMPDIR ??= folder;
// Each file that uses the embedded engine starts a thread, which would compile it again: a third of its start.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'tollgate-test-compiled');

// `npm run clients:latest`: client libraries of another folder, for which a plugin is needed, and a file for what they send.
const clients = process.env.TOLLGATE_CLIENTS ?? '';
const records = (process.env.TOLLGATE_CLIENT_REQUESTS ?? '') !== '';

export default defineConfig({
  plugins: clients === '' ? [] : [clientsFrom(clients)],
  test: {
    pool: 'forks',
    // Node loads the modules itself, without a transformation of each. It can mock none, and none is to be mocked.
    experimental: { viteModuleRunner: clients !== '', nodeLoader: false },
    // For two processors. Tests wait for processes that they start and kill, for databases and for time; with three workers
    // half of both processors was idle, with five a fifth.
    maxWorkers: 5,
    sequence: { sequencer: SlowestFirst },
    // Of several waits, each of which may need all its patience on a busy machine.
    testTimeout: 2 * PATIENCE_MS,
    hookTimeout: 2 * PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
    setupFiles: [
      'test/support/fixed-seed.ts',
      ...(records ? ['test/clients/latest/record-requests.ts'] : []),
    ],
    // A process for many files: to load the product for each took a fifth of the time.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'product',
          include: ['test/**/*.test.ts'],
          exclude: ['**/*.long.test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
          setupFiles: ['test/support/quick-passwords.ts'],
        },
      },
      {
        // `npm run test:long`: what takes long to kill, freeze, fill, install or try in every combination.
        extends: true,
        test: {
          name: 'long',
          include: ['test/**/*.long.test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
          setupFiles: ['test/support/quick-passwords.ts'],
        },
      },
      {
        extends: true,
        test: { name: 'parts', include: ['src/**/*.test.ts', 'simulator/**/*.test.ts'] },
      },
    ],
  },
});
