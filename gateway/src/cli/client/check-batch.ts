/** Checks a batch file locally by the rules of the upload, and writes a fixed copy of it. */
import { createReadStream, existsSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { SettingsError } from '../../app/settings.ts';
import { BatchFileCheck, type BatchFileReport } from '../../batch-files/check-batch-file.ts';
import type { FindBatchModel, LineFacts } from '../../batch-files/check-batch-line.ts';
import { fixBatchLine } from '../../batch-files/fix-batch-line.ts';
import { BATCH_FILE_BYTES_MAX, BATCH_LINE_BYTES_MAX } from '../../contract/batch-lines/batch-limits.ts';
import { BatchLines } from '../../contract/batch-lines/batch-lines.ts';
import { wrongOutputCap } from '../../contract/batch-lines/wrong-output-cap.ts';
import { ChatRequest } from '../../contract/chat.ts';
import { Shape } from '../../contract/check-shape.ts';
import { EmbeddingsRequest } from '../../contract/embeddings.ts';
import { ResponsesRequest } from '../../contract/responses.ts';
import { systemClock } from '../../kernel/time.ts';
import type { PricedCaller } from '../../pricing/markup.ts';
import type { TokenCounter } from '../../tokens/token-counter.ts';
import { type BatchEstimate, BatchEstimator } from './estimate-batch.ts';

export interface CheckedBatch {
  readonly file: string;
  readonly bytes: number;
  readonly report: BatchFileReport;
  readonly warnings: readonly RowWarning[];
  /** Null when the file would be rejected, or no estimate was asked for. */
  readonly estimate: BatchEstimate | null;
}

const READ_BYTES = 256 * 1024;

export async function checkBatch(
  file: string,
  tools: {
    findModel: FindBatchModel;
    tokens: TokenCounter | null;
    /** Whose prices are estimated with. */
    caller: PricedCaller;
    onProgress: (share: number) => void;
  },
): Promise<CheckedBatch> {
  const { size: bytes } = await stat(file).catch(() => {
    throw new SettingsError(`There is no file ${file}.`);
  });
  if (bytes > BATCH_FILE_BYTES_MAX) {
    throw new SettingsError(
      `${file} has ${bytes} bytes; a batch file may have at most ${BATCH_FILE_BYTES_MAX}. Split it.`,
    );
  }
  const warnings: RowWarning[] = [];
  const estimator = tools.tokens === null ? null : new BatchEstimator(tools.tokens);
  const check = new BatchFileCheck({
    findModel: tools.findModel,
    badRowsMax: Number.POSITIVE_INFINITY,
    onRow(facts, row) {
      estimator?.add(facts);
      const warning = warningOf(facts, row);
      if (warning !== null) warnings.push(warning);
    },
  });
  let read = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: READ_BYTES })) {
    check.push(chunk as Buffer);
    await estimator?.countHeld();
    read += (chunk as Buffer).length;
    tools.onProgress(read / bytes);
  }
  const report = check.end();
  const { model, badRowCount } = report;
  const estimate =
    estimator === null || model === null || badRowCount > 0
      ? null
      : await estimator.total(model, tools.caller, systemClock.now());
  return { file, bytes, report, warnings, estimate };
}

/** `batch.jsonl` → `batch.fixed.jsonl`; never overwrites a file. */
export async function writeFixed(file: string, findModel: FindBatchModel): Promise<string> {
  const extension = extname(file);
  const fixed = `${file.slice(0, file.length - extension.length)}.fixed${extension}`;
  if (existsSync(fixed)) throw new SettingsError(`${fixed} already exists; move or delete it first.`);
  const out = await open(fixed, 'wx');
  try {
    await copyFixed(file, out, findModel);
  } finally {
    await out.close();
  }
  return fixed;
}

async function copyFixed(file: string, out: FileHandle, findModel: FindBatchModel): Promise<void> {
  let waiting: Buffer[] = [];
  const lines = new BatchLines<Buffer>({
    join: Buffer.concat,
    bytesMax: BATCH_LINE_BYTES_MAX,
    onLine(bytes) {
      for (const line of fixBatchLine(bytes, findModel)) waiting.push(Buffer.from(line), LINE_FEED);
    },
    onTooLong(row) {
      throw new SettingsError(`Row ${row} is longer than ${BATCH_LINE_BYTES_MAX} bytes; shorten it first.`);
    },
  });
  const write = async (): Promise<void> => {
    await out.appendFile(Buffer.concat(waiting));
    waiting = [];
  };
  for await (const chunk of createReadStream(file, { highWaterMark: READ_BYTES })) {
    lines.push(chunk as Buffer);
    await write();
  }
  lines.end();
  await write();
}

const LINE_FEED = Buffer.from('\n');

/** A row that the upload accepts but that fails when it runs. */
interface RowWarning {
  readonly row: number;
  readonly field: string | null;
  readonly advice: string;
}

const shapes = {
  chat: new Shape(ChatRequest),
  responses: new Shape(ResponsesRequest),
  embeddings: new Shape(EmbeddingsRequest),
};

function warningOf({ endpoint, model, body }: LineFacts, row: number): RowWarning | null {
  const cap = endpoint === 'chat' ? wrongOutputCap(model, body) : null;
  if (cap !== null) {
    const advice = `${model.code} expects its output cap in ${cap.wanted}; with ${cap.sent} the row fails when it runs.`;
    return { row, field: `body.${cap.sent}`, advice };
  }
  const error = shapes[endpoint].error(body);
  if (error === null) return null;
  const field = error.path === '' ? 'body' : `body.${error.path}`;
  return { row, field, advice: `${field} ${error.message}; the row fails when it runs.` };
}
