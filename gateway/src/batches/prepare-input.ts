/**
 * The input of a provider's batch, made of ours: each line under an id of our own, in the provider's words,
 * for its name of the model. Lines that could never succeed are written down as failed instead. The input is
 * gone through twice, so that its length is known before it is sent and none of it need be kept.
 */
import type { Readable } from 'node:stream';
import type { Principal } from '../access/principal.ts';
import type { Database } from '../database/database.ts';
import { newId } from '../kernel/ids.ts';
import type { JsonLimits } from '../kernel/json/parse-json.ts';
import { asProblem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import type { BatchDialect, BatchInput, BatchProvider } from '../providers/batch-provider.ts';
import type { EngineRun } from './batch-engine.ts';
import { type DoneLine, insertLines, listDoneLines } from './batch-lines.store.ts';
import { inputLines } from './input-lines.ts';
import type { LineKind, LineKindTools, LineTarget } from './line-kinds.ts';
import { readLine } from './read-line.ts';
import { failedLine } from './result-line.ts';
import { Turns } from './turns.ts';

export interface PrepareTools {
  readonly db: Database;
  readonly clock: Clock;
  readonly calls: LineKindTools;
  readonly json: JsonLimits;
}

export interface ProviderPlace extends LineTarget {
  readonly kind: LineKind;
  readonly dialect: BatchDialect;
  readonly batches: BatchProvider;
}

const GROUP_LINES_MAX = 200;

/** Null when it was told to stop. */
export async function prepareInput(
  run: EngineRun,
  place: ProviderPlace,
  { signal, tools }: { signal: AbortSignal; tools: PrepareTools },
): Promise<BatchInput | null> {
  const { batch } = run;
  const left = new Set(await listDoneLines(tools.db, batch.id));
  const failed: DoneLine[] = [];
  const writeFailed = async (): Promise<void> => {
    if (failed.length > 0) await insertLines(tools.db, run.job, failed.splice(0));
  };
  let [lines, bytes] = [0, 0];
  const turns = new Turns(tools.clock);
  for await (const { line, bytes: sent } of linesOf(run)) {
    if (signal.aborted) return null;
    if (turns.over) await turns.next();
    if (left.has(line)) continue;
    const checked = await check({ line, sent, principal: run.principal }, place, tools);
    if (Buffer.isBuffer(checked)) {
      lines++;
      bytes += writeLine(run, place, { line, body: checked }).length;
      continue;
    }
    left.add(line);
    failed.push(checked);
    if (failed.length >= GROUP_LINES_MAX) await writeFailed();
  }
  await writeFailed();
  return {
    batchId: batch.id,
    dialect: place.dialect,
    lines,
    bytes,
    async *pieces() {
      for await (const { line, bytes: sent } of linesOf(run)) {
        if (turns.over) await turns.next();
        if (left.has(line)) continue;
        const body = await place.kind.write(
          await readLine(sent, tools.json),
          place,
          run.principal,
          tools.calls,
        );
        yield writeLine(run, place, { line, body });
      }
    },
  };
}

/** The id under which a provider knows a line; callers' own ids need not fit its rules. */
export function providerLineId(batchId: string, line: number): string {
  return `${batchId}-${line}`;
}

/** Null when it is none of this batch's. */
export function readProviderLineId(batchId: string, id: string): number | null {
  const number = id.startsWith(`${batchId}-`) ? id.slice(batchId.length + 1) : '';
  return /^[1-9]\d{0,9}$/.test(number) ? Number(number) : null;
}

async function check(
  at: { line: number; sent: Buffer; principal: Principal },
  place: ProviderPlace,
  tools: PrepareTools,
): Promise<Buffer | DoneLine> {
  const read = await readLine(at.sent, tools.json);
  try {
    await place.kind.check(read, at.principal, tools.calls);
    return await place.kind.write(read, place, at.principal, tools.calls);
  } catch (error) {
    const named = { line: at.line, customId: read.customId, requestId: newId('req', tools.clock.now()) };
    return failedLine(named, asProblem(error));
  }
}

function writeLine(
  { batch }: EngineRun,
  { batches, dialect }: ProviderPlace,
  { line, body }: { line: number; body: Buffer },
): Buffer {
  return batches.writeLine({ customId: providerLineId(batch.id, line), dialect, body });
}

async function* linesOf(run: EngineRun): ReturnType<typeof inputLines> {
  const input: Readable = await run.input();
  try {
    yield* inputLines(input);
  } finally {
    input.destroy();
  }
}
