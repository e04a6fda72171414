/** Whether the clock of this machine is right. A wrong one breaks signatures, expiry times and months of statements. */
import { type CheckResult, failure, fine, warning } from './finding.ts';

const WARNING_MS = 5_000;
const ERROR_MS = 60_000;

/** `skewMs` is how far this machine is ahead. */
export function judgeSkew(skewMs: number, of: string): CheckResult {
  const seconds = Math.round(Math.abs(skewMs) / 1_000);
  const detail = `the clock of this machine is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} that of ${of}`;
  const next = 'Synchronise the clocks (NTP): signatures, expiry times and months depend on them.';
  if (Math.abs(skewMs) > ERROR_MS) return failure(detail, next);
  if (Math.abs(skewMs) > WARNING_MS) return warning(detail, next);
  return fine(`the clock of this machine agrees with that of ${of}`);
}
