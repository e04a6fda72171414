/**
 * The order of test files: those that take longest first, so that no worker is left alone with one at the end, and the
 * short tests beside the code last. A fresh checkout has no times of an earlier run, and the size of a file, by which
 * vitest then sorts, says little about them.
 */
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Every file that takes a worker more than some five seconds, or waits as long; the longest first. */
const SLOWEST = [
  'test/text/matrix.test.ts',
  'test/database/chaos.test.ts',
  'test/money/hold-ends.test.ts',
  'test/serve/serve.test.ts',
  'test/prices/truth.test.ts',
  'test/cli/cli.test.ts',
  'test/serve/new-installation.test.ts',
  'test/batches/provider-batches.test.ts',
  'test/openapi/examples.test.ts',
  'test/text/carried-fields.test.ts',
  'test/access/sign-in-limits.test.ts',
  'test/console/keys.test.ts',
  'test/upstream/upstream-faults.test.ts',
  'test/cli/cli-mistakes.test.ts',
  'test/access/audit.test.ts',
  'test/database/database.test.ts',
  'test/batches/batches.test.ts',
  'test/cli/cli-doctor.test.ts',
  'test/prices/hidden-costs.test.ts',
  'test/console/playground.test.ts',
  'test/console/operator.test.ts',
  'test/money/purse-histories.test.ts',
  'test/videos/videos.test.ts',
  'test/money/ledger.test.ts',
  'test/console/console.test.ts',
  'test/cli/cli-batch.test.ts',
  'test/prices/both-sides-jobs.test.ts',
  'test/batches/batch-reserves.test.ts',
  'test/access/invitations.test.ts',
  'test/console/connect.test.ts',
  'test/cli/cli-plan.test.ts',
  'test/access/sessions.test.ts',
  'test/media/references.test.ts',
  'test/console/models.test.ts',
  'test/database/migrations.test.ts',
  'test/prices/uncounted-usage.test.ts',
  'test/text/body-memory.test.ts',
  'test/console/home.test.ts',
  'src/kernel/framing.test.ts',
  'test/clients/clients-strict.test.ts',
  'test/idempotency/repeatable-calls.test.ts',
  'test/logs/logs-closed.test.ts',
  'test/console/members.test.ts',
  'test/console/requests.test.ts',
  'test/access/revoked-work.test.ts',
  'test/console/batches.test.ts',
  'test/openapi/docs-code.test.ts',
  'test/administration/rights.test.ts',
  'test/money/recorder.test.ts',
  'test/console/shell.test.ts',
  'test/prices/both-sides.test.ts',
  'test/maintenance/retention.test.ts',
  'test/cli/cli-media.test.ts',
  'test/batches/batches-engine.test.ts',
  'test/kept-responses/background.test.ts',
  'test/money/paid-endpoints.test.ts',
  'test/lists/lists.test.ts',
  'test/console/jobs.test.ts',
  'src/tokens/token-counter.test.ts',
  'test/logs/logs-cli.test.ts',
  'test/serve/plain.test.ts',
  'test/cli/cli-http.test.ts',
  'test/neighbours/neighbours.test.ts',
  'test/console/logs.test.ts',
  'test/routing/fallbacks.test.ts',
  'test/database/blobs.test.ts',
  'test/batches/line-receipts.test.ts',
  'test/files/files.test.ts',
  'test/neighbours/slow-readers.test.ts',
  'test/house/contract.test.ts',
  'test/cli/cli-config.test.ts',
  'test/neighbours/open-downloads.test.ts',
  'test/maintenance/archive.test.ts',
  'test/console/usage.test.ts',
  'test/console/audit.test.ts',
];

export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files);
    return others
      .map((file) => ({ file, place: placeOf(file) }))
      .sort((a, b) => a.place - b.place)
      .map(({ file }) => file);
  }
}

/** The sort is stable: files of the same place keep the order they have. */
function placeOf({ project, moduleId }: TestSpecification): number {
  const place = SLOWEST.indexOf(relative(project.config.root, moduleId));
  if (place >= 0) return place;
  return project.name === 'parts' ? SLOWEST.length + 1 : SLOWEST.length;
}
