/**
 * The order of test files: those that take longest first, so that no worker is left alone with one at the end, and the
 * short tests beside the code last. A fresh checkout has no times of an earlier run, and the size of a file, by which
 * vitest then sorts, says little about them.
 */
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Every file that takes a worker more than some eight seconds, or waits as long; the longest first. */
const SLOWEST = [
  'test/money/hold-ends.test.ts',
  'test/money/organization-usage.test.ts',
  'test/money/organization-history.test.ts',
  'test/text/matrix.test.ts',
  'test/database/chaos.test.ts',
  'test/serve/serve.test.ts',
  'test/prices/truth.test.ts',
  'test/batches/provider-batches.test.ts',
  'test/upstream/upstream-faults.test.ts',
  'test/serve/new-installation.test.ts',
  'test/openapi/examples.test.ts',
  'test/text/carried-fields.test.ts',
  'test/access/sign-in-limits.test.ts',
  'test/money/purse-histories.test.ts',
  'test/cli/cli-doctor.test.ts',
  'test/prices/hidden-costs.test.ts',
  'test/cli/cli.test.ts',
  'test/videos/videos.test.ts',
  'test/console/console.test.ts',
  'test/database/database.test.ts',
  'test/money/ledger.test.ts',
  'test/console/batches.test.ts',
  'test/console/playground.test.ts',
  'test/administration/rights.test.ts',
  'test/console/operator.test.ts',
  'test/administration/installation-processes.test.ts',
  'test/database/migrations.test.ts',
  'test/media/references.test.ts',
  'test/idempotency/repeatable-calls.test.ts',
  'test/money/recorder.test.ts',
  'test/cli/cli-plan.test.ts',
  'test/cli/cli-batch.test.ts',
  'test/kept-responses/background.test.ts',
  'test/prices/uncounted-usage.test.ts',
  'test/batches/batch-reserves.test.ts',
  'test/prices/both-sides.test.ts',
  'test/access/revoked-work.test.ts',
  'test/cli/cli-mistakes.test.ts',
  'test/access/audit.test.ts',
  'test/neighbours/neighbours.test.ts',
  'test/database/blobs.test.ts',
  'test/console/keys.test.ts',
  'test/openapi/docs-code.test.ts',
  'test/batches/line-receipts.test.ts',
  'test/logs/logs-closed.test.ts',
  'test/money/hard-limits.test.ts',
  'test/clients/clients-strict.test.ts',
  'test/routing/fallbacks.test.ts',
  'test/console/models.test.ts',
  'test/console/home.test.ts',
  'test/cli/cli-config.test.ts',
  'test/files/files.test.ts',
  'test/batches/batches.test.ts',
  'test/money/parallel-limits.test.ts',
  'test/maintenance/archive.test.ts',
  'test/money/rates.test.ts',
  'test/console/jobs.test.ts',
  'test/prices/both-sides-jobs.test.ts',
  'test/access/invitations.test.ts',
  'test/batches/batches-engine.test.ts',
  'test/money/paid-endpoints.test.ts',
  'test/console/logs.test.ts',
  'test/maintenance/retention.test.ts',
  'test/administration/own-things.test.ts',
  'test/console/requests.test.ts',
  'test/database/journal.test.ts',
  'test/text/body-memory.test.ts',
  'test/clients/clients-openai.test.ts',
  'test/console/usage.test.ts',
  'test/cli/cli-media.test.ts',
  'test/console/shell.test.ts',
  'test/access/keys-life.test.ts',
  'test/models/aliases.test.ts',
  'test/neighbours/open-downloads.test.ts',
  'test/console/connect.test.ts',
  'test/money/why.test.ts',
  'test/lists/lists.test.ts',
  'test/console/members.test.ts',
  'test/access/device-sign-in.test.ts',
  'test/kept-responses/keeping.test.ts',
  'test/openapi/docs-page.test.ts',
  'test/neighbours/slow-readers.test.ts',
  'test/console/audit.test.ts',
  'test/media/media-links.test.ts',
  'test/access/sessions.test.ts',
  'test/administration/rules.test.ts',
  'test/console/balance.test.ts',
  'test/media/references-in-calls.test.ts',
  'test/money/member-rules.test.ts',
  'test/logs/project-ids.test.ts',
  'test/money/shown-prices.test.ts',
  'test/money/unpriced-calls.test.ts',
  'test/cli/cli-http.test.ts',
  'test/console/keyboard.test.ts',
  'test/access/sign-in-page.test.ts',
  'test/media/managed-references.test.ts',
  'test/serve/plain.test.ts',
  'test/clients/clients-anthropic.test.ts',
  'test/logs/logs-cli.test.ts',
  'test/bad-input/bad-input-http.test.ts',
  'test/administration/lists.test.ts',
  'test/maintenance/damaged-backup.test.ts',
  'test/idempotency/repeatable-recovery.test.ts',
  'test/access/issuer-sign-in.test.ts',
  'test/money/left-calls.test.ts',
  'test/access/ended-rights.test.ts',
];
/** Of the tests beside the code: those that take more than some four seconds. */
const SLOWEST_PARTS = [
  'src/kernel/framing.test.ts',
  'src/tokens/token-counter.test.ts',
  'src/json/parse-json.test.ts',
  'src/batch-files/check-batch-file.test.ts',
  'src/calls/choose-route.test.ts',
  'src/net/upstream.test.ts',
  'simulator/protocols.test.ts',
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

/**
 * The sort is stable: files of the same place keep the order they have. Tests beside the code are a project of their own, for
 * which a worker ends its process and loads the product again. So it should do that once.
 */
function placeOf({ project, moduleId }: TestSpecification): number {
  const name = relative(project.config.root, moduleId);
  const isPart = project.name === 'parts';
  const first = isPart ? SLOWEST.length + 1 : 0;
  const list = isPart ? SLOWEST_PARTS : SLOWEST;
  const place = list.indexOf(name);
  return first + (place >= 0 ? place : list.length);
}
