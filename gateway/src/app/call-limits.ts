/** Builds the limits that keep one tenant from using up shared resources. */

import type { CallTools } from '../calls/call-tools.ts';
import { RouteHealth } from '../calls/route-health.ts';
import { RouteLoad } from '../calls/route-load.ts';
import { RouteRests } from '../calls/route-rests.ts';
import { BodyArrivals } from '../http/body-arrivals.ts';
import type { BodyLimits } from '../http/read-body.ts';
import type { Clock } from '../kernel/time.ts';
import { ByteBudget } from '../memory/byte-budget.ts';
import { OpenDownloads } from '../memory/open-downloads.ts';
import { OpenLimits } from '../memory/open-limits.ts';
import type { AttributionBounds } from '../metering/attribution/space-values.ts';
import type { Limits } from './limits.ts';

/** Counting its tokens, and its commit. */
const CHARGE_MS_MAX = 60_000;

/** How long a call can take until it is charged. */
export function callMsMax({ callTotalMs, streamTotalMs, backgroundTotalMs }: Limits): number {
  return Math.max(callTotalMs, streamTotalMs, backgroundTotalMs) + CHARGE_MS_MAX;
}

export interface CallLimits {
  readonly bytes: ByteBudget;
  readonly body: BodyLimits & { readonly arrivals: BodyArrivals };
  readonly openStreams: OpenLimits;
  readonly openUploads: OpenLimits;
  readonly openBackground: OpenLimits;
  readonly openDownloads: OpenDownloads;
  readonly openCounts: OpenLimits;
  /** What is known of the routes to providers. */
  readonly routing: Pick<CallTools, 'health' | 'load' | 'rests'>;
}

export function createCallLimits(limits: Limits, clock: Clock): CallLimits {
  return {
    bytes: new ByteBudget(
      {
        keyBytes: limits.bytesInFlightPerKey,
        spaceBytes: limits.bytesInFlightPerSpace,
        totalBytes: limits.bytesInFlight,
        waitMs: limits.bytesWaitMs,
      },
      clock,
    ),
    body: {
      bytesMax: limits.jsonBodyBytes,
      depthMax: limits.jsonDepth,
      keysMax: limits.jsonKeys,
      valuesMax: limits.jsonValues,
      containersMax: limits.jsonContainers,
      arrivals: new BodyArrivals(clock),
    },
    openStreams: new OpenLimits({
      what: 'streams',
      perKey: limits.streamsPerKey,
      perSpace: limits.streamsPerSpace,
    }),
    openUploads: new OpenLimits({
      what: 'uploads',
      perKey: limits.uploadsPerKey,
      perSpace: limits.uploadsPerSpace,
    }),
    openBackground: new OpenLimits({
      what: 'background responses',
      perKey: limits.backgroundPerKey,
      perSpace: limits.backgroundPerSpace,
    }),
    openDownloads: new OpenDownloads({
      perKey: limits.downloadsPerKey,
      perSpace: limits.downloadsPerSpace,
      perLink: limits.downloadsPerLink,
      perAddress: limits.downloadsPerAddress,
    }),
    openCounts: new OpenLimits({
      what: 'token counts',
      perKey: limits.tokenCountsPerKey,
      perSpace: limits.tokenCountsPerSpace,
    }),
    routing: {
      health: new RouteHealth(clock),
      load: new RouteLoad(clock, { waitingMax: limits.routeQueue, waitMs: limits.routeQueueMs }),
      rests: new RouteRests(clock),
    },
  };
}

/** What a space may use in a month to attribute calls. */
export function attributionBounds(limits: Limits): AttributionBounds {
  const { tagKeys, tagValues, attributedUsers, attributedSets } = limits;
  return {
    tagKeysMax: tagKeys,
    tagValuesMax: tagValues,
    endUsersMax: attributedUsers,
    setsMax: attributedSets,
  };
}

/** What one call may take, whatever others do. */
export function limitsOfCalls(limits: Limits): CallTools['limits'] {
  return {
    messagesMax: limits.messages,
    upstreamBodyBytesMax: limits.upstreamBodyBytes,
    callTotalMs: limits.callTotalMs,
    streamTotalMs: limits.streamTotalMs,
  };
}

/** The same for calls in the background. */
export function limitsOfBackground(limits: Limits): CallTools['limits'] {
  const totalMs = limits.backgroundTotalMs;
  return { ...limitsOfCalls(limits), callTotalMs: totalMs, streamTotalMs: totalMs };
}
