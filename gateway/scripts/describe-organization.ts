/** The table of reports in docs/organization-usage.md, made from their declarations. */
import {
  costsReport,
  groupings,
  type OrganizationReport,
  usageReports,
} from '../src/contract/organization/usage-reports.ts';
import { replaceMarked } from './replace-marked.ts';

export function withReports(document: string): string {
  const reports: Array<Pick<OrganizationReport, 'path' | 'groups'> & { fields: string[] }> = [
    { ...costsReport, fields: ['amount', 'units', 'num_requests', 'num_unpriced_requests'] },
    ...Object.values<OrganizationReport>(usageReports).map(({ path, groups, of, fields }) => ({
      ...{ path, groups },
      fields: of === null ? [] : Object.keys(fields),
    })),
  ];
  const names = Object.keys(groupings) as Array<keyof typeof groupings>;
  const head = `| report | counts | ${names.map((name) => `\`${name}\``).join(' | ')} |\n`;
  const rows = reports.map(({ path, groups, fields }) => {
    const counted = fields.length === 0 ? 'nothing' : fields.map((field) => `\`${field}\``).join(', ');
    const cells = names.map((name) => (groups.includes(name) ? 'yes' : ''));
    return `| \`GET ${path}\` | ${counted} | ${cells.join(' | ')} |\n`;
  });
  return replaceMarked(
    document,
    'reports',
    `${head}|---|---${'|---'.repeat(names.length)}|\n${rows.join('')}`,
  );
}
