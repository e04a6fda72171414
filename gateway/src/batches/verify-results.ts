/** Checks that the results of a provider's batch are complete and agree with the provider's own counts. Pure. */
import type { BatchCounts } from '../providers/batch-provider.ts';
import type { SeenResults } from './import-results.ts';

/** Returns why the batch cannot be settled, as a sentence for the operator; null when everything agrees. */
export function verifyResults(
  seen: SeenResults,
  expected: { sent: number; counts: BatchCounts | null; completed: boolean },
): string | null {
  const { sent, counts, completed } = expected;
  const results = seen.ok + seen.failed + seen.unrun;
  if (seen.unreadable > 0) {
    return `${seen.unreadable} lines of the provider's results cannot be read or belong to no line that was sent`;
  }
  if (counts !== null && counts.total !== sent) {
    return `the provider counts ${counts.total} lines where ${sent} were sent`;
  }
  if (completed && results !== sent) return `the provider's results have ${results} of ${sent} lines`;
  if (counts !== null && counts.ok !== seen.ok) {
    return `the provider counts ${counts.ok} lines that succeeded, its results have ${seen.ok}`;
  }
  if (counts !== null && !failuresAgree(seen, counts)) {
    return `the provider counts ${counts.failed} lines that failed, its results have ${seen.failed}`;
  }
  return null;
}

/** A provider that does not count lines that never ran may or may not count them as failed. */
function failuresAgree({ failed, unrun }: SeenResults, counts: BatchCounts): boolean {
  if (counts.unrun !== null) return counts.failed === failed && counts.unrun === unrun;
  return counts.failed === failed || counts.failed === failed + unrun;
}
