/**
 * Loaded before `doctor` in its process: a check gives up after 5 s, which on a busy machine may pass before anything
 * answers. What is tested is what answers say. That a check gives up is tested beside it (finding.test.ts).
 */
import { PATIENCE_MS } from './patience.ts';

/** `CHECK_MS_MAX` of app/doctor/finding.ts. */
const CHECK_MS = 5_000;
const wait = globalThis.setTimeout;

globalThis.setTimeout = Object.assign(
  (work: (...args: unknown[]) => void, delayMs?: number, ...args: unknown[]) =>
    wait(work, delayMs === CHECK_MS ? PATIENCE_MS : delayMs, ...args),
  wait,
) as typeof wait;
