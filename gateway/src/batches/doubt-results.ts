/** Whether the results of a provider's batch can be relied on: all of them, and as it counted them. Pure. */
import type { BatchCounts } from '../providers/batch-provider.ts';
import type { SeenResults } from './import-results.ts';

/** A sentence for the operator; null when everything agrees. */
export function doubtResults(
  seen: SeenResults,
  told: { sent: number; counts: BatchCounts | null; completed: boolean },
): string | null {
  const { sent, counts, completed } = told;
  const results = seen.ok + seen.failed + seen.unrun;
  if (seen.unreadable > 0) {
    return `${seen.unreadable} lines of the provider's results cannot be read or belong to no line that was sent`;
  }
  if (counts !== null && counts.total !== sent) {
    return `the provider counts ${counts.total} lines where ${sent} were sent`;
  }
  if (completed && results !== sent) return `the provider's results have ${results} of ${sent} lines`;
  if (counts !== null && counts.ok !== seen.ok) {
    return `the provider counts ${counts.ok} lines that went well, its results have ${seen.ok}`;
  }
  if (counts !== null && !failuresAgree(seen, counts)) {
    return `the provider counts ${counts.failed} lines that failed, its results have ${seen.failed}`;
  }
  return null;
}

/** Where those that never ran are not counted apart, they may or may not be among the failed. */
function failuresAgree({ failed, unrun }: SeenResults, counts: BatchCounts): boolean {
  if (counts.unrun !== null) return counts.failed === failed && counts.unrun === unrun;
  return counts.failed === failed || counts.failed === failed + unrun;
}
