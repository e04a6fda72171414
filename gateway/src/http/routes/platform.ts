/** The platform management API. Read-only; invalid queries get a 422 in a shape of its own. */
import { endpoints } from '../../contract/endpoints.ts';
import { MONTH_PATTERN } from '../../contract/platform.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Month } from '../../kernel/time.ts';
import type { PlatformReports } from '../../reports/platform-reports.ts';
import { type HttpRoute, keyedRoute } from '../define-route.ts';

const MONTH = new RegExp(MONTH_PATTERN);

export function platformRoutes(reports: PlatformReports): HttpRoute[] {
  return [
    keyedRoute('getUsage', endpoints.getUsage, async (exchange, principal) => {
      const month = readMonth(exchange.request.url ?? '');
      exchange.sendJson(200, JSON.stringify(await reports.usage(principal, month)));
    }),
    keyedRoute('getBalance', endpoints.getBalance, async (exchange, principal) => {
      exchange.sendJson(200, JSON.stringify(await reports.balance(principal)));
    }),
  ];
}

function readMonth(url: string): Month | undefined {
  const query = url.indexOf('?');
  const months = query < 0 ? [] : new URLSearchParams(url.slice(query)).getAll('month');
  const [month] = months;
  if (months.length <= 1 && (month === undefined || MONTH.test(month))) return month;
  const msg =
    months.length > 1
      ? 'month must be sent once'
      : `month must be a month YYYY-MM and match ${MONTH_PATTERN}`;
  throw new Problem('validation_error', {
    detail: msg,
    items: [{ loc: ['query', 'month'], msg, type: 'string_pattern_mismatch' }],
  });
}
