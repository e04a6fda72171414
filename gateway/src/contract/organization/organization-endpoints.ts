/** Usage and costs in the form of OpenAI's API; part of the table in endpoints.ts. */
import type { Endpoint } from '../endpoint.ts';
import { costsPage, usagePage } from './bucket-page.ts';
import { bucketQuery } from './bucket-query.ts';
import { costLimits, costsReport, type UsageReport, usageLimits, usageReports } from './usage-reports.ts';

function usageEndpoint(report: UsageReport) {
  return {
    method: 'GET',
    path: report.path,
    credential: 'organization',
    summary: report.summary,
    query: bucketQuery(report.groups, usageLimits),
    response: usagePage(report),
    problems: ['invalid_parameter', 'rate_limit_exceeded'],
  } as const satisfies Endpoint;
}

export const organizationEndpoints = {
  getCosts: {
    method: 'GET',
    path: costsReport.path,
    credential: 'organization',
    summary: 'Get the costs of each day.',
    query: bucketQuery(costsReport.groups, costLimits),
    response: costsPage,
    problems: ['invalid_parameter', 'rate_limit_exceeded'],
  },
  getCompletionsUsage: usageEndpoint(usageReports.completions),
  getEmbeddingsUsage: usageEndpoint(usageReports.embeddings),
  getImagesUsage: usageEndpoint(usageReports.images),
  getWebSearchUsage: usageEndpoint(usageReports.webSearches),
  getFileSearchUsage: usageEndpoint(usageReports.fileSearches),
  getCodeSessionUsage: usageEndpoint(usageReports.codeSessions),
  getModerationUsage: usageEndpoint(usageReports.moderations),
  getSpeechUsage: usageEndpoint(usageReports.speeches),
  getTranscriptionUsage: usageEndpoint(usageReports.transcriptions),
  getVectorStoreUsage: usageEndpoint(usageReports.vectorStores),
} as const satisfies Record<string, Endpoint>;
