/** Checks a batch file while it is read, by the rules of the upload and without uploading it. For browsers. */

import { BATCH_LINE_BYTES_MAX } from '../contract/batch-lines/batch-limits.ts';
import { BatchLines } from '../contract/batch-lines/batch-lines.ts';
import { BatchRows, type BatchRowsReport } from '../contract/batch-lines/batch-rows.ts';
import { checkLineModel } from '../contract/batch-lines/check-line-model.ts';
import {
  type BatchLineModel,
  type CheckedLineValue,
  checkLineValue,
  type FindLineModel,
  faultyLine,
  LINE_LIMITS,
  type LineValueFacts,
  notUtf8Line,
  unreadableLine,
  urlOfEndpoint,
} from '../contract/batch-lines/check-line-value.ts';
import { type CapField, wrongOutputCap } from '../contract/batch-lines/wrong-output-cap.ts';
import type { ModelObject } from '../contract/models.ts';
import { JsonProblem } from '../json/json-problems.ts';
import { parseBytesObject } from '../json/parse-bytes.ts';

/** A model of the API, as the rules see it. */
export interface ListedModel extends BatchLineModel {
  readonly outputCapField: CapField | null;
  readonly object: ModelObject;
}

/** A row that the upload accepts and that fails when it runs. */
export interface FailingRow {
  readonly row: number;
  readonly sent: CapField;
  readonly wanted: CapField;
}

export interface CheckedStream {
  readonly report: BatchRowsReport<ListedModel>;
  readonly failing: readonly FailingRow[];
}

interface CheckOptions {
  readonly models: readonly ModelObject[];
  readonly badRowsMax: number;
  onRow?(facts: LineValueFacts<ListedModel>): void;
  /** How many bytes were read. */
  onProgress?(bytes: number): void;
}

export async function checkBatchStream(
  pieces: AsyncIterable<Uint8Array>,
  options: CheckOptions,
): Promise<CheckedStream> {
  const failing: FailingRow[] = [];
  const findModel = listedModels(options.models);
  const rows = new BatchRows<ListedModel>({
    badRowsMax: options.badRowsMax,
    // A browser has room for the ids as they are.
    digest: (text) => text,
    onRow(facts, row) {
      options.onRow?.(facts);
      const cap = facts.endpoint === 'chat' ? wrongOutputCap(facts.model, facts.body) : null;
      if (cap !== null) failing.push({ row, ...cap });
    },
  });
  const lines = new BatchLines<Uint8Array>({
    bytesMax: BATCH_LINE_BYTES_MAX,
    join: joinBytes,
    onLine: (bytes, row) => rows.add(row, () => checkBytes(bytes, findModel)),
    onTooLong: (row) => rows.tooLong(row),
  });
  let read = 0;
  for await (const piece of pieces) {
    lines.push(piece);
    read += piece.length;
    options.onProgress?.(read);
    if (rows.full) break;
  }
  if (!rows.full) lines.end();
  return { report: rows.report(), failing };
}

function checkBytes(bytes: Uint8Array, findModel: FindLineModel<ListedModel>): CheckedLineValue<ListedModel> {
  try {
    return checkLineValue(parseBytesObject(bytes, LINE_LIMITS), findModel);
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    const isText = isUtf8Text(bytes);
    const fault = isText ? unreadableLine(error, bytes.includes(CARRIAGE_RETURN)) : notUtf8Line();
    return faultyLine([fault]);
  }
}

function isUtf8Text(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function listedModels(models: readonly ModelObject[]): FindLineModel<ListedModel> {
  const byCode = new Map(models.map((model) => [model.id, model]));
  return (code, endpoint) => {
    const object = byCode.get(code);
    const known = object && {
      supportsBatch: object.supports_batch,
      offers: (name: typeof endpoint) => object.endpoints.includes(urlOfEndpoint(name)),
    };
    const fault = checkLineModel(code, endpoint, { known: known ?? null });
    if (fault !== null || object === undefined) return fault as NonNullable<typeof fault>;
    const { batch_requires: batchRequires, output_cap_field: outputCapField } = object;
    return { code: object.alias_of ?? code, batchRequires, outputCapField, object };
  };
}

function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

const CARRIAGE_RETURN = 13;
