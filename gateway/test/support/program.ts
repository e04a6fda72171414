/** The command `tollgate`, for tests that start processes. */
import { fileURLToPath } from 'node:url';

/** Runs the source. */
export const SOURCE_PROGRAM = fileURLToPath(new URL('../../bin/tollgate.js', import.meta.url));

/** Built once before all tests (build-program.ts); the source where nothing was built, as in long runs outside of them. */
export function program(): string {
  return process.env.TOLLGATE_TEST_PROGRAM ?? SOURCE_PROGRAM;
}
