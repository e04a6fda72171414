/** Usage and costs in the form of OpenAI's API; part of the table in endpoints.ts. */

import type { TSchema } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import * as pages from './bucket-page.ts';
import { bucketQuery } from './bucket-query.ts';
import {
  costLimits,
  costsReport,
  type OrganizationReport,
  usageLimits,
  usageReports,
} from './usage-reports.ts';

function usageEndpoint(report: OrganizationReport, response: TSchema) {
  return {
    method: 'GET',
    path: report.path,
    credential: 'organization',
    summary: report.summary,
    query: bucketQuery(report.groups, usageLimits),
    response,
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
    response: pages.CostsPage,
    problems: ['invalid_parameter', 'rate_limit_exceeded'],
  },
  getCompletionsUsage: usageEndpoint(usageReports.completions, pages.CompletionsPage),
  getEmbeddingsUsage: usageEndpoint(usageReports.embeddings, pages.EmbeddingsPage),
  getImagesUsage: usageEndpoint(usageReports.images, pages.ImagesPage),
  getWebSearchUsage: usageEndpoint(usageReports.webSearches, pages.WebSearchesPage),
  getFileSearchUsage: usageEndpoint(usageReports.fileSearches, pages.FileSearchesPage),
  getCodeSessionUsage: usageEndpoint(usageReports.codeSessions, pages.CodeSessionsPage),
  getModerationUsage: usageEndpoint(usageReports.moderations, pages.ModerationsPage),
  getSpeechUsage: usageEndpoint(usageReports.speeches, pages.SpeechesPage),
  getTranscriptionUsage: usageEndpoint(usageReports.transcriptions, pages.TranscriptionsPage),
  getVectorStoreUsage: usageEndpoint(usageReports.vectorStores, pages.VectorStoresPage),
} as const satisfies Record<string, Endpoint>;
