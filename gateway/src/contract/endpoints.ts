/**
 * Every public endpoint, once: method, path, authentication, shapes and problems. The server, `/openapi.json`
 * and tests use this table.
 */
import { Type } from 'typebox';
import { adminEndpoints } from './administration/admin-endpoints.ts';
import { batchFileEndpoints } from './batch-file-endpoints.ts';
import { consoleEndpoints } from './console-endpoints.ts';
import { developerEndpoints } from './developer-endpoints.ts';
import type { Endpoint } from './endpoint.ts';
import { Health, Readiness, Welcome } from './health.ts';
import { logEndpoints } from './log-endpoints.ts';
import { mediaEndpoints } from './media-endpoints.ts';
import { modelCallEndpoints } from './model-call-endpoints.ts';
import { organizationEndpoints } from './organization/organization-endpoints.ts';
import { BalanceRecord, UsageQuery, UsageRecord } from './platform.ts';
import { videoEndpoints } from './video-endpoints.ts';

export const endpoints = {
  ...modelCallEndpoints,
  ...batchFileEndpoints,
  ...videoEndpoints,
  ...mediaEndpoints,
  ...developerEndpoints,
  getUsage: {
    method: 'GET',
    path: '/v1/usage',
    alias: '/platform/v1/usage',
    credential: 'platform',
    summary: 'Get the usage of a month.',
    query: UsageQuery,
    response: UsageRecord,
    problems: ['validation_error'],
  },
  getBalance: {
    method: 'GET',
    path: '/v1/balance',
    alias: '/platform/v1/balance',
    credential: 'platform',
    summary: 'Get the balance.',
    response: BalanceRecord,
  },
  ...organizationEndpoints,
  ...consoleEndpoints,
  ...adminEndpoints,
  ...logEndpoints,
  getWelcome: {
    method: 'GET',
    path: '/',
    credential: 'none',
    summary: 'Say what this server is.',
    response: Welcome,
    otherAnswers: { 302: 'A browser is sent to the console.' },
  },
  getHealth: {
    method: 'GET',
    path: '/health',
    credential: 'none',
    summary: 'Check that the process is alive.',
    response: Health,
  },
  getReadiness: {
    method: 'GET',
    path: '/ready',
    credential: 'none',
    summary: 'Check whether the process should get traffic.',
    response: Readiness,
    otherAnswers: { 503: 'The process starts or stops.' },
  },
  getOpenapi: {
    method: 'GET',
    path: '/openapi.json',
    credential: 'none',
    summary: 'Get this document.',
    response: Type.Object({}),
  },
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof endpoints;
