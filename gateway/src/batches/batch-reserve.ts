/** What a batch may cost: its lines at their output caps, times a factor for what an estimate misses. Pure. */
import type { LineGroup } from '../batch-files/file-estimate.ts';
import type { StoredFile } from '../batch-files/files.store.ts';
import type { Model } from '../catalog/model.ts';
import { roughTokens } from '../kernel/rough-tokens.ts';
import { addUnits, multiplyUnits, sumUnits, type Units, ZERO } from '../kernel/units.ts';
import type { ModelPrice } from '../pricing/model-price.ts';
import { priceOrProvisional } from '../pricing/unpriced.ts';
import { NO_TOKENS, type Usage } from '../pricing/usage.ts';

/** Prompts are estimated from their characters, and some providers count more than the caps. */
const FACTOR = { count: 5, per: 4 };
/** For an answer without a cap, if the catalogue does not know the model's own. */
const ANSWER_TOKENS = 4_096;

export function batchReserve(
  file: Pick<StoredFile, 'batch' | 'bytes'>,
  model: Pick<Model, 'outputTokensMax'>,
  price: ModelPrice | null,
): Units {
  if (price === null) return ZERO;
  const uncapped = model.outputTokensMax ?? ANSWER_TOKENS;
  const amounts = groupsOf(file).map((group) => groupAmount(group, price, uncapped));
  return multiplyUnits(sumUnits(amounts), FACTOR);
}

/** A file without an estimate: all its bytes are prompts, and no line has a cap. */
function groupsOf({ batch, bytes }: Pick<StoredFile, 'batch' | 'bytes'>): readonly Readonly<LineGroup>[] {
  if (batch === null) return [];
  if (batch.estimate !== null) return batch.estimate;
  const [rows, inputTokens] = [batch.rowCount, roughTokens(bytes ?? 0)];
  const uncappedAnswers = batch.endpoint === '/v1/embeddings' ? 0 : rows;
  const inputTokensMax = Math.ceil(inputTokens / rows);
  return [{ rows, inputTokens, inputTokensMax, outputTokens: 0, uncappedAnswers }];
}

function groupAmount(group: LineGroup, price: ModelPrice, uncapped: number): Units {
  const usage: Usage = {
    ...NO_TOKENS,
    inputTokens: group.inputTokens,
    outputTokens: group.outputTokens + group.uncappedAnswers * uncapped,
    details: { contextTokens: group.inputTokensMax },
  };
  const perRequest = amountOf(NO_TOKENS, price);
  return addUnits(amountOf(usage, price), multiplyUnits(perRequest, { count: group.rows - 1, per: 1 }));
}

function amountOf(usage: Usage, price: ModelPrice): Units {
  const { charge, provisional } = priceOrProvisional(usage, price);
  return charge?.total ?? provisional ?? ZERO;
}
