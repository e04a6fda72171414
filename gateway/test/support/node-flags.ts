/**
 * For processes that a test starts to run the embedded engine. It is WebAssembly, and the compiler that makes its
 * fastest code works longer than such a process lives, so they make do with the quick one. The processes that run the
 * tests open the engine many times and do without: there fast code took a fifth off the time of the engine. Others start
 * faster without too: a flag spoils what Node has compiled of itself.
 */
export const EMBEDDED_FLAGS: readonly string[] = ['--liftoff-only'];

/** For processes of `doctor` and of `config check --live`. */
export const PATIENT_CHECKS: readonly string[] = [
  '--import',
  new URL('patient-checks.ts', import.meta.url).href,
];
