/** Builds every route of the public listener. */
import { Invitations } from '../access/accept-invitation.ts';
import { Actors } from '../access/actor.ts';
import { DeviceSignIns } from '../access/device-sign-in.ts';
import { FirstOperator } from '../access/first-operator.ts';
import { IssuerSignIn } from '../access/issuers/issuer-sign-in.ts';
import type { Principal } from '../access/principal.ts';
import { Sessions } from '../access/sessions.ts';
import type { UploadTools } from '../batch-files/upload-batch-file.ts';
import type { SubmitTools } from '../batches/submit-batch.ts';
import type { CallTools } from '../calls/call-tools.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { isOffered } from '../contract/endpoint.ts';
import type { Database } from '../database/database.ts';
import type { BackgroundOptions } from '../http/answer-background.ts';
import { usesHttps } from '../http/client-address.ts';
import type { HttpRoute } from '../http/define-route.ts';
import { withDocsPages } from '../http/docs-page/docs-page.ts';
import type { KeepAliveTimer } from '../http/keep-alive-timer.ts';
import type { BodyLimits } from '../http/read-body.ts';
import { administrationRoutes } from '../http/routes/administration.ts';
import { batchRoutes } from '../http/routes/batches.ts';
import { consoleFiles } from '../http/routes/console.ts';
import { consoleReadRoutes } from '../http/routes/console-reads.ts';
import { consoleSessionRoutes } from '../http/routes/console-session.ts';
import { deviceSignInRoutes } from '../http/routes/device-sign-in.ts';
import { fileRoutes } from '../http/routes/files.ts';
import { invitationRoutes } from '../http/routes/invitations.ts';
import { issuerSignInRoutes } from '../http/routes/issuer-sign-in.ts';
import { keptResponseRoutes, responseOf } from '../http/routes/kept-responses.ts';
import { keyRoute } from '../http/routes/key.ts';
import { logRoutes, noLogRoutes } from '../http/routes/logs.ts';
import { mediaRoutes } from '../http/routes/media.ts';
import { countTokensRoute } from '../http/routes/messages.ts';
import { modelRoutes } from '../http/routes/models.ts';
import { organizationRoutes } from '../http/routes/organization.ts';
import { paidRoutes } from '../http/routes/paid-routes.ts';
import { platformRoutes } from '../http/routes/platform.ts';
import { receiptRoute } from '../http/routes/receipts.ts';
import { referenceRoutes } from '../http/routes/references.ts';
import { systemRoutes, welcomeRoutes } from '../http/routes/system.ts';
import { videoRoutes } from '../http/routes/videos.ts';
import type { FollowAnswerOptions } from '../http/send-followed.ts';
import type { StaticFiles } from '../http/static-files.ts';
import type { AccessWatch } from '../http/watch-access.ts';
import type { Clock } from '../kernel/time.ts';
import { LogAccess } from '../logs/log-access.ts';
import type { LogService } from '../logs/log-service.ts';
import type { LinkTools } from '../media/media-link.ts';
import type { OpenDownloads } from '../memory/open-downloads.ts';
import type { OpenLimits } from '../memory/open-limits.ts';
import { OrganizationReports } from '../reports/organization/organization-reports.ts';
import { PlatformReports } from '../reports/platform-reports.ts';
import type { BackgroundResponses } from '../responses/background-responses.ts';
import type { KeptResponses } from '../responses/kept-responses.ts';
import { findKeptResponse } from '../responses/open-response.ts';
import type { StoredAnswers } from '../stored-answers/stored-answers.ts';
import type { CreateTools } from '../video/create-video.ts';
import { adminDoor, type RunOperation, reportsInTurn } from './administer.ts';
import { limitsOfBackground } from './call-limits.ts';
import type { Settings } from './settings.ts';
import { version } from './version.ts';

export interface RouteParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly administer: RunOperation;
  readonly catalog: () => Catalog;
  readonly calls: CallTools;
  readonly files: SubmitTools & UploadTools;
  readonly videos: CreateTools;
  readonly links: LinkTools;
  readonly body: BodyLimits;
  readonly keepAlive: KeepAliveTimer;
  readonly kept: KeptResponses;
  readonly answers: StoredAnswers;
  readonly background: BackgroundResponses;
  readonly openBackground: OpenLimits;
  readonly openCounts: OpenLimits;
  /** Null for a process without the role `logs`. */
  readonly logs: LogService | null;
  readonly openStreams: OpenLimits;
  readonly openUploads: OpenLimits;
  readonly openDownloads: OpenDownloads;
  readonly onAccessChange: AccessWatch['onAccessChange'];
  /** Why the server is not ready; null if it is ready. */
  readonly notReady: () => string | null;
}

/** Those of the roles of the process. */
export function composeRoutes(parts: RouteParts): HttpRoute[] {
  const sessions = createSessions(parts);
  if (!parts.settings.roles.has('http')) return [...stateRoutes(parts), ...logStreamRoutes(parts, sessions)];
  const routes = [
    ...callRoutes(parts),
    ...jobRoutes(parts),
    ...inputRoutes(parts),
    ...readRoutes(parts),
    ...logStreamRoutes(parts, sessions),
    ...consoleRoutes(parts, sessions),
  ];
  return routes.filter(({ endpoint }) => isOffered(endpoint, parts.settings.api));
}

/** The console and the pages of the API. */
export function composeFiles(settings: Settings, catalog: () => Catalog): StaticFiles {
  const { roles, publicUrl, port, demo, api } = settings;
  if (!roles.has('http')) return { find: () => null };
  // In the demo everybody has the same models.
  const model = (): string | null => (demo ? (catalog().models.keys().next().value ?? null) : null);
  return withDocsPages(consoleFiles(), { version, api, publicUrl, port, model });
}

function callRoutes(parts: RouteParts): HttpRoute[] {
  const { calls: tools, body, clock, keepAlive, kept, settings, openStreams, openCounts } = parts;
  const multipartBytesMax = settings.limits.multipartBodyBytes;
  const answering = { clock, keepAlive, openStreams, once: followOptions(parts) };
  const background = backgroundOptions(parts);
  return [
    ...paidRoutes({ ...answering, tools, body, multipartBytesMax, kept, background }),
    countTokensRoute(tools, { body, openCounts }),
  ];
}

function backgroundOptions(parts: RouteParts): Omit<BackgroundOptions, 'check'> {
  const { calls, settings, background, openBackground, catalog, files, answers } = parts;
  const stored = { ...files, answers };
  return {
    tools: { ...calls, limits: limitsOfBackground(settings.limits) },
    follow: followOptions(parts),
    responses: background,
    open: openBackground,
    streams: (code, principal) => canStream(catalog(), code, principal),
    find: (exchange, principal, id) => findKeptResponse({ principal, ...responseOf(exchange), id }, stored),
  };
}

/** False for a model that the caller may not use: the check of the request says so later. */
function canStream(catalog: Catalog, code: string, principal: Principal): boolean {
  try {
    return catalog.get(code, principal).capabilities.has('streaming');
  } catch {
    return false;
  }
}

function followOptions({
  answers,
  clock,
  keepAlive,
  openStreams,
  settings,
}: RouteParts): FollowAnswerOptions {
  return { answers, clock, keepAlive, openStreams, waitMs: settings.limits.callTotalMs };
}

function jobRoutes(parts: RouteParts): HttpRoute[] {
  const { files, videos, body, openUploads, openDownloads } = parts;
  return [
    ...keptResponseRoutes({ ...files, answers: parts.answers }, followOptions(parts)),
    ...fileRoutes(files, { openUploads, openDownloads }),
    ...batchRoutes(files, { body }),
    ...videoRoutes(videos, { body }),
  ];
}

function inputRoutes({ files, links, body, openUploads, openDownloads, settings }: RouteParts): HttpRoute[] {
  const { trustProxy } = settings;
  return [
    ...referenceRoutes(files, { openUploads }),
    ...mediaRoutes(links, { body, openDownloads, trustProxy }),
  ];
}

function readRoutes(parts: RouteParts): HttpRoute[] {
  const { db, clock, catalog, settings, notReady } = parts;
  return [
    ...modelRoutes(catalog, clock),
    keyRoute({ db, clock }),
    receiptRoute({ db }),
    ...platformRoutes(new PlatformReports({ db, clock })),
    ...welcomeRoutes({ version, api: settings.api, publicUrl: settings.publicUrl }),
    ...stateRoutes({ notReady }),
  ];
}

function stateRoutes({ notReady }: Pick<RouteParts, 'notReady'>): HttpRoute[] {
  return systemRoutes({ version, notReady });
}

function createSessions({ db, clock, settings }: RouteParts): Sessions {
  const { publicUrl: publicOrigin, signIn: ways } = settings;
  return new Sessions({
    db,
    clock,
    publicOrigin,
    ways,
    usesHttps: (headers) => usesHttps(headers, settings),
  });
}

function logStreamRoutes(parts: RouteParts, sessions: Sessions): HttpRoute[] {
  const { db, clock, settings, logs, openDownloads, onAccessChange } = parts;
  if (logs === null) return noLogRoutes();
  const { dataFolder } = settings;
  const watch = { clock, onAccessChange };
  return logRoutes({ sessions, access: new LogAccess(db), logs, dataFolder, openDownloads, ...watch });
}

function consoleRoutes(parts: RouteParts, sessions: Sessions): HttpRoute[] {
  const { db, clock, settings, files, administer, openDownloads, onAccessChange, catalog } = parts;
  const { publicUrl, trustProxy } = settings;
  const { signIn: ways, proxies } = settings;
  const issuers = new IssuerSignIn({ db, clock, proxies, settings: ways });
  const invitations = new Invitations({ db, clock, sessions, ways, publicOrigin: publicUrl });
  const devices = new DeviceSignIns({ db, clock, ways, publicOrigin: publicUrl });
  const firstOperator = new FirstOperator({ db, clock, ways, publicOrigin: publicUrl });
  const cookies = { clock, publicUrl, trustProxy };
  const actors = new Actors({ db, clock, sessions });
  return [
    ...consoleSessionRoutes({ sessions, issuers }, cookies),
    ...invitationRoutes({ invitations, sessions }, cookies),
    ...issuerSignInRoutes({ signIn: issuers, sessions }, { ...cookies, ways }),
    ...deviceSignInRoutes({ devices, firstOperator, sessions }, cookies),
    ...consoleReadRoutes({ sessions, files, openDownloads, clock, onAccessChange }),
    ...administrationRoutes(adminDoor(actors, administer)),
    ...organizationRoutes({
      reports: new OrganizationReports({ db, clock, unitValue: () => catalog().unitValue }),
      caller: (request) => actors.callerOf(request),
      inTurn: reportsInTurn(),
    }),
  ];
}
