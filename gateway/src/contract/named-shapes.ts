/**
 * The names of shapes in the OpenAPI document: every exported schema has the name of its export. A new file with
 * shapes gets one line here.
 */
import type { TSchema } from 'typebox';
import * as adminAliases from './administration/aliases.ts';
import * as adminAudit from './administration/audit.ts';
import * as adminBatches from './administration/batches.ts';
import * as adminFocus from './administration/focus.ts';
import * as adminInstallation from './administration/installation.ts';
import * as adminInvitations from './administration/invitations.ts';
import * as adminJobs from './administration/jobs.ts';
import * as adminKeys from './administration/keys.ts';
import * as adminLimits from './administration/limits.ts';
import * as adminMargin from './administration/margin.ts';
import * as adminMembers from './administration/members.ts';
import * as adminPeople from './administration/people.ts';
import * as adminPrices from './administration/prices.ts';
import * as adminProjects from './administration/projects.ts';
import * as adminRequests from './administration/requests.ts';
import * as adminSpaces from './administration/spaces.ts';
import * as adminStatements from './administration/statements.ts';
import * as adminTokens from './administration/tokens.ts';
import * as adminUnits from './administration/units.ts';
import * as adminUsage from './administration/usage.ts';
import * as batches from './batches.ts';
import * as chat from './chat.ts';
import * as chatAnswer from './chat-answer.ts';
import * as chatTools from './chat-tools.ts';
import * as consoleShapes from './console.ts';
import * as cost from './cost.ts';
import * as deviceSignIn from './device-sign-in.ts';
import * as embeddings from './embeddings.ts';
import * as errorBody from './error-body.ts';
import * as explanation from './explanation.ts';
import * as files from './files.ts';
import * as health from './health.ts';
import * as images from './images.ts';
import * as invitations from './invitations.ts';
import * as key from './key.ts';
import * as logs from './logs.ts';
import * as media from './media.ts';
import * as messageBlocks from './message-blocks.ts';
import * as messages from './messages.ts';
import * as messagesAnswer from './messages-answer.ts';
import * as models from './models.ts';
import * as platform from './platform.ts';
import * as priceHours from './price-hours.ts';
import * as receipt from './receipt.ts';
import * as references from './references.ts';
import * as responses from './responses.ts';
import * as responsesAnswer from './responses-answer.ts';
import * as responsesItems from './responses-items.ts';
import * as schema from './schema.ts';
import * as signIn from './sign-in.ts';
import * as video from './video.ts';

const shapesOfFiles = [
  ...[
    batches,
    chat,
    chatAnswer,
    chatTools,
    consoleShapes,
    cost,
    deviceSignIn,
    embeddings,
    errorBody,
    explanation,
    files,
    health,
  ],
  ...[images, invitations, key, logs, media, messageBlocks, messages, messagesAnswer, models, platform],
  ...[priceHours, receipt, references, responses, responsesAnswer, responsesItems, schema, signIn, video],
  ...[
    adminAliases,
    adminAudit,
    adminBatches,
    adminInstallation,
    adminJobs,
    adminKeys,
    adminLimits,
    adminMembers,
  ],
  ...[adminInvitations, adminPeople, adminProjects, adminRequests, adminSpaces, adminTokens, adminUnits],
  ...[adminFocus, adminMargin, adminPrices, adminStatements, adminUsage],
];

export const namedShapes: Readonly<Record<string, TSchema>> = Object.fromEntries(
  shapesOfFiles
    .flatMap((file) => Object.entries<unknown>(file))
    .filter((entry): entry is [string, TSchema] => isSchema(entry[1])),
);

function isSchema(value: unknown): value is TSchema {
  return typeof value === 'object' && value !== null && '~kind' in value;
}
