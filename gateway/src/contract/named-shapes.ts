/**
 * The names of shapes in the OpenAPI document: every exported schema has the name of its export. A new file with
 * shapes gets one line here, and one of a model call in model-call-endpoints.ts.
 */
import type { TSchema } from 'typebox';
import * as adminAlerts from './administration/alerts.ts';
import * as adminAliases from './administration/aliases.ts';
import * as adminAudit from './administration/audit.ts';
import * as adminBatches from './administration/batches.ts';
import * as adminBudgets from './administration/budgets.ts';
import * as adminFocus from './administration/focus.ts';
import * as adminInstallation from './administration/installation.ts';
import * as adminInvitations from './administration/invitations.ts';
import * as adminJobs from './administration/jobs.ts';
import * as adminKeys from './administration/keys.ts';
import * as adminMargin from './administration/margin.ts';
import * as adminMembers from './administration/members.ts';
import * as adminPeople from './administration/people.ts';
import * as adminPrices from './administration/prices.ts';
import * as adminProjects from './administration/projects.ts';
import * as adminRequests from './administration/requests.ts';
import { ruleRequests } from './administration/rules/rule-shapes.ts';
import * as adminSpaces from './administration/spaces.ts';
import * as adminStatements from './administration/statements.ts';
import * as adminTokens from './administration/tokens.ts';
import * as adminUnits from './administration/units.ts';
import * as adminUsage from './administration/usage.ts';
import * as adminWorkloads from './administration/workloads.ts';
import * as adminWorth from './administration/worth.ts';
import * as batches from './batches.ts';
import * as consoleShapes from './console.ts';
import * as cost from './cost.ts';
import * as deviceSignIn from './device-sign-in.ts';
import * as errorBody from './error-body.ts';
import * as explanation from './explanation.ts';
import * as files from './files.ts';
import * as health from './health.ts';
import * as invitations from './invitations.ts';
import * as key from './key.ts';
import * as logs from './logs.ts';
import * as media from './media.ts';
import { modelCallShapes } from './model-call-endpoints.ts';
import * as models from './models.ts';
import * as organization from './organization/bucket-page.ts';
import * as platform from './platform.ts';
import * as priceHours from './price-hours.ts';
import * as receipt from './receipt.ts';
import * as references from './references.ts';
import * as schema from './schema.ts';
import * as signIn from './sign-in.ts';
import * as video from './video.ts';

const shapesOfFiles = [
  ...modelCallShapes,
  ...[batches, consoleShapes, cost, deviceSignIn, errorBody, explanation, files, health],
  ...[invitations, key, logs, media, models, organization, platform],
  ...[priceHours, receipt, references, schema, signIn, video],
  ...[
    adminAlerts,
    adminAliases,
    adminAudit,
    adminBatches,
    adminBudgets,
    adminInstallation,
    adminJobs,
    adminKeys,
    ruleRequests,
    adminMembers,
  ],
  ...[adminInvitations, adminPeople, adminProjects, adminRequests, adminSpaces, adminTokens, adminUnits],
  ...[adminFocus, adminMargin, adminPrices, adminStatements, adminUsage, adminWorkloads, adminWorth],
];

export const namedShapes: Readonly<Record<string, TSchema>> = Object.fromEntries(
  shapesOfFiles
    .flatMap((file) => Object.entries(file) as Array<[string, unknown]>)
    .filter((entry): entry is [string, TSchema] => isSchema(entry[1])),
);

function isSchema(value: unknown): value is TSchema {
  return typeof value === 'object' && value !== null && '~kind' in value;
}
