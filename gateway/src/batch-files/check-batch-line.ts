/**
 * Checks the bytes of one line of a batch file: parses it, and applies the rules of contract/batch-lines/check-line-value.ts.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import type { Model } from '../catalog/model.ts';
import {
  type CheckedLineValue,
  checkLineValue,
  type FindLineModel,
  faultyLine,
  LINE_LIMITS,
  type LineValueFacts,
  notUtf8Line,
  unreadableLine,
} from '../contract/batch-lines/check-line-value.ts';
import type { RowFault } from '../contract/batch-lines/row-fault.ts';
import { JsonProblem } from '../json/json-problems.ts';
import { type JsonObject, parseJsonObject } from '../json/parse-json.ts';
import { parseLongJson } from '../json/parse-large-json.ts';

export type LineFacts = LineValueFacts<Model>;

export type CheckedLine = CheckedLineValue<Model>;

export type FindBatchModel = FindLineModel<Model>;

/** Further rules for a line that follows those of the upload; null: it follows them too. */
export type CheckLineFacts = (facts: LineFacts) => RowFault | null;

export function checkBatchLine(bytes: Buffer, findModel: FindBatchModel): CheckedLine {
  return checkParsedLine(parseLine(bytes), findModel);
}

/** The same for a long line, which is parsed in slices. */
export async function checkLongLine(bytes: Buffer, findModel: FindBatchModel): Promise<CheckedLine> {
  return checkParsedLine(await parseLongLine(bytes), findModel);
}

function checkParsedLine(line: JsonObject | RowFault, findModel: FindBatchModel): CheckedLine {
  return 'reason' in line ? faultyLine([line]) : checkLineValue(line.value, findModel);
}

function parseLine(bytes: Buffer): JsonObject | RowFault {
  if (!isAscii(bytes) && !isUtf8(bytes)) return notUtf8Line();
  try {
    return parseJsonObject(bytes, LINE_LIMITS);
  } catch (error) {
    return notJson(error, bytes);
  }
}

async function parseLongLine(bytes: Buffer): Promise<JsonObject | RowFault> {
  if (!isUtf8(bytes)) return notUtf8Line();
  try {
    return await parseLongJson(bytes, LINE_LIMITS);
  } catch (error) {
    return notJson(error, bytes);
  }
}

function notJson(error: unknown, bytes: Buffer): RowFault {
  if (!(error instanceof JsonProblem)) throw error;
  return unreadableLine(error, bytes.includes(CARRIAGE_RETURN));
}

const CARRIAGE_RETURN = 13;
