/** Prints what checks of the installation found. */
import type { Finding } from '../../app/doctor/finding.ts';
import { terminalWidth } from '../print.ts';
import { wrapText } from '../table.ts';

const LABELS = { ok: 'ok', warning: 'warning', error: 'ERROR' } as const;
const STATUS_WIDTH = 8;

export function printFindings(findings: readonly Finding[]): void {
  const width = Math.max(...findings.map(({ check }) => check.length)) + 1;
  const indent = ' '.repeat(STATUS_WIDTH + width + 1);
  const wrap = (text: string): string => wrapText(text, { width: terminalWidth(), indent: indent.length });
  for (const { check, status, detail, next } of findings) {
    const start = `${LABELS[status].padEnd(STATUS_WIDTH)}${check.padEnd(width)} `;
    process.stdout.write(`${start}${wrap(detail)}\n`);
    if (next !== null) process.stdout.write(`${indent}${wrap(next)}\n`);
  }
}

/** Ends the process, because a check without an answer may still hold a connection. */
export function endWithFindings(findings: readonly Finding[]): void {
  const code = findings.some(({ status }) => status === 'error') ? 1 : 0;
  process.stdout.write('', () => process.exit(code));
}
