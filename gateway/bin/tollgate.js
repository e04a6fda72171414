#!/usr/bin/env node
// Plain JavaScript, so that an old Node can still say what is wrong with it.
import { existsSync } from 'node:fs';
import module from 'node:module';
import v8 from 'node:v8';

const source = new URL('../src/cli/main.ts', import.meta.url);
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 7)) {
  console.error(
    `tollgate needs Node 24.7 or newer; this is v${process.versions.node}.\n` +
      (existsSync(source)
        ? 'Run it as "npx tollgate …" or "npm start": they bring their own Node.'
        : 'Install a newer Node (https://nodejs.org), then install tollgate again with its npm.'),
  );
  process.exit(1);
}

// docs/performance.md#insides-of-node-and-v8 names what can be turned off.
const plain = (process.env.TOLLGATE_PLAIN ?? '').split(/[\s,]+/);
const usesInside = (name) => !plain.includes('all') && !plain.includes(name);

// Large bodies leave holes in the memory that glibc keeps for itself unless its thresholds are fixed, and it
// reads those when a process starts. So a server starts itself once more in its own place: same pid, same files.
// docs/decisions/0027-memory-goes-back.md has the figures.
const unset =
  process.env.MALLOC_TRIM_THRESHOLD_ === undefined && process.env.MALLOC_MMAP_THRESHOLD_ === undefined;
const returns = process.platform === 'linux' && unset && usesInside('memory-return');
if (process.argv[2] === 'serve' && returns && process.send === undefined) {
  const thresholds = { MALLOC_TRIM_THRESHOLD_: '131072', MALLOC_MMAP_THRESHOLD_: '32768' };
  const flags = [...process.execArgv, '--expose-gc'];
  process.execve?.(process.execPath, [process.execPath, ...flags, ...process.argv.slice(1)], {
    ...process.env,
    ...thresholds,
  });
}

// V8 would put objects of a call that once lived long straight into the old generation, where each keeps the rest of
// its call alive: a quarter to a third more processor time under steady load.
// docs/decisions/0063-calls-die-young.md has the figures.
if (usesInside('young-objects')) v8.setFlagsFromString('--no-allocation-site-pretenuring');

// Named imports that an old Node lacks would end it before the words above are said.
module.enableCompileCache?.();
const { main } = await import(
  existsSync(source) ? source : new URL('../dist/src/cli/main.js', import.meta.url)
);
await main(process.argv);
