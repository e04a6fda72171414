/** Builds every route of the public listener. */
import { Invitations } from '../access/accept-invitation.ts';
import { Actors } from '../access/actor.ts';
import { IssuerSignIn } from '../access/issuers/issuer-sign-in.ts';
import { Sessions } from '../access/sessions.ts';
import type { UploadTools } from '../batch-files/upload-batch-file.ts';
import type { SubmitTools } from '../batches/submit-batch.ts';
import type { CallTools } from '../calls/call-tools.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Database } from '../database/database.ts';
import type { HttpRoute } from '../http/define-route.ts';
import type { KeepAliveTimer } from '../http/keep-alive-timer.ts';
import type { BodyLimits } from '../http/read-body.ts';
import { administrationRoutes } from '../http/routes/administration.ts';
import { batchRoutes } from '../http/routes/batches.ts';
import { chatRoute } from '../http/routes/chat.ts';
import { consoleReadRoutes } from '../http/routes/console-reads.ts';
import { consoleSessionRoutes } from '../http/routes/console-session.ts';
import { embeddingsRoute } from '../http/routes/embeddings.ts';
import { fileRoutes } from '../http/routes/files.ts';
import { imageRoutes } from '../http/routes/images.ts';
import { invitationRoutes } from '../http/routes/invitations.ts';
import { issuerSignInRoutes } from '../http/routes/issuer-sign-in.ts';
import { keptResponseRoutes } from '../http/routes/kept-responses.ts';
import { keyRoute } from '../http/routes/key.ts';
import { logRoutes } from '../http/routes/logs.ts';
import { mediaRoutes } from '../http/routes/media.ts';
import { countTokensRoute, messagesRoute } from '../http/routes/messages.ts';
import { modelRoutes } from '../http/routes/models.ts';
import { platformRoutes } from '../http/routes/platform.ts';
import { receiptRoute } from '../http/routes/receipts.ts';
import { referenceRoutes } from '../http/routes/references.ts';
import { responsesRoute } from '../http/routes/responses.ts';
import { systemRoutes } from '../http/routes/system.ts';
import { videoRoutes } from '../http/routes/videos.ts';
import type { Clock } from '../kernel/time.ts';
import { LogAccess } from '../logs/log-access.ts';
import type { LogService } from '../logs/log-service.ts';
import type { LinkTools } from '../media/media-link.ts';
import type { OpenLimits } from '../metering/open-limits.ts';
import { PlatformReports } from '../reports/platform-reports.ts';
import type { KeptResponses } from '../responses/kept-responses.ts';
import type { CreateTools } from '../video/create-video.ts';
import { adminDoor, type RunOperation } from './administer.ts';
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
  readonly logs: LogService;
  readonly openStreams: OpenLimits;
  readonly openUploads: OpenLimits;
  /** Why the server is not ready; null if it is ready. */
  readonly notReady: () => string | null;
}

export function composeRoutes(parts: RouteParts): HttpRoute[] {
  return [
    ...callRoutes(parts),
    ...jobRoutes(parts),
    ...inputRoutes(parts),
    ...readRoutes(parts),
    ...consoleRoutes(parts),
  ];
}

function callRoutes({ calls, body, keepAlive, kept, settings, openStreams }: RouteParts): HttpRoute[] {
  const multipartBytesMax = settings.limits.multipartBodyBytes;
  return [
    chatRoute(calls, { body, keepAlive, openStreams }),
    responsesRoute(calls, { body, keepAlive, openStreams, kept }),
    messagesRoute(calls, { body, keepAlive, openStreams }),
    countTokensRoute(calls, { body }),
    embeddingsRoute(calls, { body, keepAlive }),
    ...imageRoutes(calls, { body, multipartBytesMax, keepAlive }),
  ];
}

function jobRoutes({ files, videos, body, openUploads }: RouteParts): HttpRoute[] {
  return [
    ...keptResponseRoutes(files),
    ...fileRoutes(files, { openUploads }),
    ...batchRoutes(files, { body }),
    ...videoRoutes(videos, { body }),
  ];
}

function inputRoutes({ files, links, body, openUploads }: RouteParts): HttpRoute[] {
  return [...referenceRoutes(files, { openUploads }), ...mediaRoutes(links, { body })];
}

function readRoutes({ db, clock, catalog, settings, notReady }: RouteParts): HttpRoute[] {
  return [
    ...modelRoutes(catalog, clock),
    keyRoute({ db, clock }),
    receiptRoute({ db }),
    ...platformRoutes(new PlatformReports({ db, clock })),
    ...systemRoutes({ version, publicUrl: settings.publicUrl, notReady }),
  ];
}

function consoleRoutes({ db, clock, settings, files, logs, administer }: RouteParts): HttpRoute[] {
  const { publicUrl, trustProxy } = settings;
  const { signIn: ways, proxies } = settings;
  const sessions = new Sessions({ db, clock, publicOrigin: publicUrl, ways });
  const issuers = new IssuerSignIn({ db, clock, proxies, settings: ways });
  const invitations = new Invitations({ db, clock, sessions, ways, publicOrigin: publicUrl });
  const cookies = { trustProxy, secureCookies: publicUrl?.startsWith('https:') ?? false };
  const { dataFolder } = settings;
  return [
    ...logRoutes({ sessions, access: new LogAccess(db), logs, dataFolder, clock }),
    ...consoleSessionRoutes({ sessions, issuers }, { clock, publicUrl, ...cookies }),
    ...invitationRoutes({ invitations, sessions }, { clock, ...cookies }),
    ...issuerSignInRoutes(issuers, { clock, publicUrl, ways, ...cookies }),
    ...consoleReadRoutes({ sessions, files }),
    ...administrationRoutes(adminDoor(new Actors({ db, clock, sessions }), administer)),
  ];
}
