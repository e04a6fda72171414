/**
 * For processes that run the embedded engine in a test. It is WebAssembly, and the compiler that makes its
 * fastest code works longer than most tests do, so they make do with the quick one. Others start faster
 * without: a flag spoils what Node has compiled of itself.
 */
export const EMBEDDED_FLAGS: readonly string[] = ['--liftoff-only'];
