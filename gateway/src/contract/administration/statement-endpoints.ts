/** The statement of a month, and the same month as a FOCUS dataset. */
import { type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import { fields, MonthText } from './fields.ts';
import { FocusPage } from './focus.ts';
import { listQuery } from './lists.ts';
import { statementTable } from './statement-table.ts';
import { Statement } from './statements.ts';

export const statementEndpoints = {
  'statements.get': {
    ...operation('GET', `${IN_SPACE}/statement`, 'admin'),
    summary: 'Get the statement of a month.',
    query: fields({ month: MonthText }),
    response: Statement,
    csv: statementTable,
  },
  'reports.focus': {
    ...operation('GET', `${IN_SPACE}/focus`, 'admin'),
    summary: 'Export a month in the FOCUS 1.2 format.',
    query: listQuery({ month: MonthText }),
    response: FocusPage,
    csv: true,
  },
} as const satisfies Record<string, AdminEndpoint>;
