/**
 * Examples that fast-check makes are the same in every run, so that a change fails only for what it broke.
 * `npm run test:fuzz` takes others each time, and many more.
 */
import fc from 'fast-check';

if (process.env.FUZZ_RUNS === undefined)
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_117 });
