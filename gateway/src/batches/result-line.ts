/** Writes the lines of output and error files. Pure. */
import { errorBody } from '../contract/error-body.ts';
import type { Problem } from '../kernel/problem.ts';
import { waitingText } from '../metering/budgets/match-budgets.ts';
import type { DoneLine } from './batch-lines.store.ts';
import { type LineRecord, lineReceipt } from './line-receipt.ts';

export interface NamedLine {
  readonly line: number;
  readonly customId: string;
  readonly requestId: string;
}

/** `body` is JSON on one line. */
export function goodLine(named: NamedLine, body: string, record: LineRecord | null): DoneLine {
  return {
    line: named.line,
    text: lineText(named, { status: 200, body }),
    ok: true,
    cost: record?.charge?.total ?? null,
    usage: record?.usage ?? null,
    ...(record?.missing !== undefined && record.missing.length > 0 && { missing: record.missing }),
    priceVersion: record?.priceVersion ?? null,
    provider: record?.provider ?? null,
    upstreamModel: record?.upstreamModel ?? null,
    providerCost: record?.providerCost ?? null,
    attribution: record?.attribution ?? null,
    budgets: waitingText(record?.budgets ?? []),
    receipt: record && lineReceipt(named.requestId, record),
  };
}

/** A failed line costs nothing. `record` is null if it never reached a model. */
export function failedLine(named: NamedLine, problem: Problem, record: LineRecord | null): DoneLine {
  const body = JSON.stringify(errorBody(problem, named.requestId));
  const text = lineText(named, { status: problem.status, body });
  const receipt = record?.outcome === 'failed' ? lineReceipt(named.requestId, record) : null;
  return { line: named.line, text, ok: false, cost: null, usage: null, priceVersion: null, receipt };
}

/** A line that was never run. */
export function unrunLine(customId: string, error: { code: string; message: string }): string {
  return JSON.stringify({ id: null, custom_id: customId, response: null, error });
}

function lineText({ customId, requestId }: NamedLine, response: { status: number; body: string }): string {
  const id = requestId.replace(/^req_/, 'batch_req_');
  return (
    `{"id":"${id}","custom_id":${JSON.stringify(customId)},"response":{"status_code":${response.status},` +
    `"request_id":"${requestId}","body":${response.body}},"error":null}`
  );
}
