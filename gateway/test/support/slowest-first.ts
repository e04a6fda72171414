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
  'test/serve/new-installation.test.ts',
  'test/prices/truth.test.ts',
  'test/database/database.test.ts',
  'test/serve/serve.test.ts',
  'test/text/body-memory.test.ts',
  'test/text/carried-fields.test.ts',
  'test/batches/provider-batches.test.ts',
  'test/idempotency/repeatable-calls.test.ts',
  'test/access/sign-in-limits.test.ts',
  'test/neighbours/neighbours.test.ts',
  'test/neighbours/slow-readers.test.ts',
  'test/upstream/upstream-faults.test.ts',
  'test/cli/cli-doctor.test.ts',
  'test/cli/cli-batch.test.ts',
  'test/console/console.test.ts',
  'test/openapi/docs-code.test.ts',
  'test/openapi/examples.test.ts',
  'test/administration/rights.test.ts',
  'test/access/own-password.test.ts',
  'test/batches/batch-reserves.test.ts',
  'test/console/keys.test.ts',
  'test/console/playground.test.ts',
  'test/console/connect.test.ts',
  'test/batches/batches.test.ts',
  'test/cli/cli.test.ts',
  'test/console/operator.test.ts',
  'test/console/shell.test.ts',
  'test/prices/both-sides-jobs.test.ts',
  'test/clients/clients-strict.test.ts',
  'test/cli/cli-mistakes.test.ts',
  'test/console/logs.test.ts',
  'test/console/members.test.ts',
  'test/console/home.test.ts',
  'test/logs/logs-cli.test.ts',
  'test/house/contract.test.ts',
  'test/cli/cli-config.test.ts',
  'test/neighbours/open-downloads.test.ts',
  'test/access/audit.test.ts',
  'test/prices/uncounted-usage.test.ts',
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
