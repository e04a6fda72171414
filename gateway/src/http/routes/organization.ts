/** Usage and costs in the form of OpenAI's API, for management keys and administration tokens. */
import type { Actor, Caller } from '../../access/actor.ts';
import type { Principal } from '../../access/principal.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { EndpointName } from '../../contract/endpoints.ts';
import { organizationEndpoints } from '../../contract/organization/organization-endpoints.ts';
import { type OrganizationReport, usageReports } from '../../contract/organization/usage-reports.ts';
import type { OrganizationReports } from '../../reports/organization/organization-reports.ts';
import type { UsageReader } from '../../reports/organization/read-question.ts';
import type { HttpRoute } from '../define-route.ts';
import type { Exchange } from '../exchange.ts';
import { readBucketQuery } from '../read-bucket-query.ts';

export interface OrganizationOptions {
  readonly reports: OrganizationReports;
  /** Who sent an administration token. */
  readonly caller: (request: Exchange['request']) => Promise<Caller>;
  /** Limits how many reports are read at once. */
  readonly inTurn: (reader: string, read: () => Promise<string>) => Promise<string>;
}

const reportsByPath: ReadonlyMap<string, OrganizationReport> = new Map(
  Object.values(usageReports).map((report) => [report.path, report]),
);

export function organizationRoutes({ reports, caller, inTurn }: OrganizationOptions): HttpRoute[] {
  return Object.entries<Endpoint>(organizationEndpoints).map(([name, endpoint]) => ({
    name: name as EndpointName,
    endpoint,
    async handle(exchange, principal) {
      const reader =
        principal === null ? readerOf((await caller(exchange.request)).actor) : keyReader(principal);
      const query = readBucketQuery(exchange.request.url ?? '', endpoint);
      const report = reportsByPath.get(endpoint.path);
      const page = await inTurn(reader.id, () =>
        report === undefined ? reports.costs(reader, query) : reports.usage(report, reader, query),
      );
      exchange.sendJson(200, page);
    },
  }));
}

function keyReader({ keyId, spaceId }: Principal): UsageReader {
  return { id: keyId, spaceIds: [spaceId] };
}

/** A token of a space has the rights of its administrators. */
function readerOf({ id, isOperator, memberships }: Actor): UsageReader {
  const administered = memberships.filter(({ role }) => role === 'admin').map(({ spaceId }) => spaceId);
  return { id, spaceIds: isOperator ? null : administered };
}
