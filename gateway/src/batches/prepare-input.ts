/**
 * Translates the lines of an input file into the input of a provider's batch: under ids of our own, in the provider's
 * dialect and with its name of the model. Lines that cannot succeed are stored as failed and not sent. The file is read
 * twice, so that the length is known before it is sent and nothing is buffered.
 */
import type { Readable } from 'node:stream';
import type { Principal } from '../access/principal.ts';
import type { Database } from '../database/database.ts';
import type { JsonLimits } from '../json/json-limits.ts';
import { newId } from '../kernel/ids.ts';
import { asProblem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import type { BatchInput } from '../providers/batch-provider.ts';
import type { EngineRun } from './batch-engine.ts';
import { type DoneLine, insertLines, listDoneLines } from './batch-lines.store.ts';
import type { BatchRoute } from './batch-route.ts';
import { inputLines } from './input-lines.ts';
import type { LineKindTools } from './line-kinds.ts';
import { readLine } from './read-line.ts';
import { failedLine } from './result-line.ts';
import { TurnTimer } from './turn-timer.ts';

export interface PrepareTools {
  readonly db: Database;
  readonly clock: Clock;
  readonly calls: LineKindTools;
  readonly json: JsonLimits;
}

const GROUP_LINES_MAX = 200;

/** Null when the process is stopping. */
export async function prepareInput(
  run: EngineRun,
  to: BatchRoute,
  { signal, tools }: { signal: AbortSignal; tools: PrepareTools },
): Promise<BatchInput | null> {
  const { batch } = run;
  const left = new Set(await listDoneLines(tools.db, batch.id));
  const failed: DoneLine[] = [];
  const writeFailed = async (): Promise<void> => {
    if (failed.length > 0) await insertLines(tools.db, run.job, failed.splice(0));
  };
  let [lines, bytes] = [0, 0];
  const turn = new TurnTimer(tools.clock);
  for await (const { line, bytes: sent } of linesOf(run)) {
    if (signal.aborted) return null;
    if (turn.isOver) await turn.next();
    if (left.has(line)) continue;
    const checked = await check({ line, sent, principal: run.principal }, to, tools);
    if (Buffer.isBuffer(checked)) {
      lines++;
      bytes += writeLine(run, to, { line, body: checked }).length;
      continue;
    }
    left.add(line);
    failed.push(checked);
    if (failed.length >= GROUP_LINES_MAX) await writeFailed();
  }
  await writeFailed();
  return {
    batchId: batch.id,
    dialect: to.dialect,
    lines,
    bytes,
    async *pieces() {
      for await (const { line, bytes: sent } of linesOf(run)) {
        if (turn.isOver) await turn.next();
        if (left.has(line)) continue;
        const body = await to.kind.write(await readLine(sent, tools.json), to, run.principal, tools.calls);
        yield writeLine(run, to, { line, body });
      }
    },
  };
}

/** The custom id that the provider gets: callers' own ids may break its rules. */
export function providerLineId(batchId: string, line: number): string {
  return `${batchId}-${line}`;
}

/** Null when the id does not belong to this batch. */
export function readProviderLineId(batchId: string, id: string): number | null {
  const number = id.startsWith(`${batchId}-`) ? id.slice(batchId.length + 1) : '';
  return /^[1-9]\d{0,9}$/.test(number) ? Number(number) : null;
}

async function check(
  at: { line: number; sent: Buffer; principal: Principal },
  to: BatchRoute,
  tools: PrepareTools,
): Promise<Buffer | DoneLine> {
  const read = await readLine(at.sent, tools.json);
  try {
    await to.kind.check(read, at.principal, asModel(to.model.code, tools.calls));
    return await to.kind.write(read, to, at.principal, tools.calls);
  } catch (error) {
    const named = { line: at.line, customId: read.customId, requestId: newId('req', tools.clock.now()) };
    return failedLine(named, asProblem(error), null);
  }
}

/** Lines may name an alias of the model of their batch. */
function asModel(code: string, calls: LineKindTools): LineKindTools {
  return { ...calls, catalog: () => ({ find: (_, call) => calls.catalog().find(code, call) }) };
}

function writeLine(
  { batch }: EngineRun,
  { batches, dialect }: BatchRoute,
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
