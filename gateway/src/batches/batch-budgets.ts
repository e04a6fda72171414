/**
 * What a batch may cost in each hard budget of its lines. Lines differ in their tags and end users, so they are read if a
 * budget depends on that. Lines that answer cost at most this, as far as an estimate can say.
 */
import type { Budget } from '../access/budget.ts';
import type { Principal } from '../access/principal.ts';
import { FileSizes } from '../batch-files/file-estimate.ts';
import type { BatchFacts, StoredFile } from '../batch-files/files.store.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { valuesOfCall } from '../calls/attribute-call.ts';
import type { Model } from '../catalog/model.ts';
import { endpointOf, LINE_LIMITS } from '../contract/batch-lines/check-line-value.ts';
import type { Units } from '../kernel/units.ts';
import { isTagDimension, tagDimension } from '../metering/attribution/attribution.ts';
import { attributedValues } from '../metering/attribution/attributions.ts';
import {
  isPerDimension,
  type MatchedBudget,
  matchBudgets,
  purseOf,
} from '../metering/budgets/match-budgets.ts';
import type { ModelPrice } from '../pricing/model-price.ts';
import { batchReserve } from './batch-reserve.ts';
import type { BatchTags } from './batches.store.ts';
import { inputLines } from './input-lines.ts';
import { lineKinds } from './line-kinds.ts';
import { roughLineSize } from './line-parts.ts';
import { readLine } from './read-line.ts';

export interface BudgetedBatch {
  readonly principal: Principal;
  readonly file: StoredFile & { readonly batch: BatchFacts };
  readonly model: Model;
  readonly price: ModelPrice | null;
  readonly tags: BatchTags | null;
}

export async function batchBudgets(
  of: BudgetedBatch,
  { blobs }: { readonly blobs: Pick<Blobs, 'open'> },
): Promise<ReadonlyMap<MatchedBudget, Units>> {
  const { principal, file, model, price, tags } = of;
  const budgets = principal.budgets?.filter(({ hard }) => hard) ?? [];
  if (budgets.length === 0) return new Map();
  const user = { ...principal, budgets };
  if (budgets.some((budget) => dependsOnLines(budget, tags)))
    return await ofLines({ ...of, principal: user }, blobs);
  const values = attributedValues(principal, {
    tags: tags?.header ?? null,
    defaults: tags?.defaults ?? null,
  });
  const units = batchReserve(file, model, price);
  const matched = matchBudgets({ principal: user, models: [model.code], values })?.all ?? [];
  return new Map(matched.map((one) => [one, units]));
}

/** What a line may say itself: anything that the header of the batch does not decide. */
function dependsOnLines({ endUser, session, tags, per }: Budget, of: BatchTags | null): boolean {
  const decided = new Set((of?.header ?? []).map(([key]) => tagDimension(key)));
  const dimensions = [...Object.keys(tags).map(tagDimension), ...(isPerDimension(per) ? [per] : [])];
  if (endUser !== null || session !== null) return true;
  return dimensions.some((dimension) => !isTagDimension(dimension) || !decided.has(dimension));
}

async function ofLines(
  { principal, file, model, price, tags }: BudgetedBatch,
  blobs: Pick<Blobs, 'open'>,
): Promise<ReadonlyMap<MatchedBudget, Units>> {
  const kind = lineKinds[file.batch.endpoint];
  const endpoint = endpointOf(file.batch.endpoint);
  const found = new Map<
    string,
    { readonly budget: MatchedBudget; readonly sizes: FileSizes; rows: number }
  >();
  const input = await blobs.open(file.blob);
  if (input === null) throw new Error(`the file ${file.id} has no bytes`);
  try {
    for await (const { bytes } of inputLines(input)) {
      const read = await readLine(bytes, LINE_LIMITS);
      const values = valuesOfCall({ principal, tags }, kind.attributed(read));
      const size = roughLineSize({ endpoint, body: read.body.value });
      for (const budget of matchBudgets({ principal, models: [model.code], values })?.all ?? []) {
        const known = found.get(purseOf(budget)) ?? { budget, sizes: new FileSizes(), rows: 0 };
        found.set(purseOf(budget), known);
        known.sizes.add(size);
        known.rows++;
      }
    }
  } finally {
    input.destroy();
  }
  return new Map(
    [...found.values()].map(({ budget, sizes, rows }) => {
      const batch = { ...file.batch, rowCount: rows, estimate: sizes.groups() };
      return [budget, batchReserve({ batch, bytes: file.bytes }, model, price)];
    }),
  );
}
