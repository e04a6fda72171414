/** All limits of the gateway with their defaults; `limits:` in tollgate.yaml overrides them. */
import type { ConfigFile } from '../catalog/config-file.ts';
import { MIB } from '../kernel/bytes.ts';

export interface Limits {
  readonly jsonBodyBytes: number;
  readonly jsonDepth: number;
  readonly jsonKeys: number;
  readonly jsonValues: number;
  readonly jsonContainers: number;
  readonly multipartBodyBytes: number;
  readonly bytesInFlight: number;
  readonly bytesInFlightPerSpace: number;
  readonly bytesInFlightPerKey: number;
  readonly bytesWaitMs: number;
  readonly streamsPerKey: number;
  readonly streamsPerSpace: number;
  readonly uploadsPerKey: number;
  readonly uploadsPerSpace: number;
  readonly logStreamsPerPerson: number;
  readonly logStreamsPerProject: number;
  readonly messages: number;
  readonly clientIdleMs: number;
  readonly clientRequestMs: number;
  readonly upstreamConnectMs: number;
  readonly upstreamSilenceMs: number;
  readonly upstreamBodyBytes: number;
  readonly callTotalMs: number;
  readonly streamTotalMs: number;
  readonly transferTotalMs: number;
  readonly shutdownWaitMs: number;
  readonly shutdownIdleMs: number;
  readonly drainMs: number;
  readonly batchLines: number;
  readonly batchPollMs: number;
  readonly batchUnknownMs: number;
  readonly videoPollMs: number;
  readonly videoUnknownMs: number;
  readonly keptResponseBytes: number;
  readonly keptSpaceBytes: number;
}

/** The largest possible answer: embeddings of 2,048 inputs with 3,072 decimal numbers each. */
const LARGEST_ANSWER_BYTES = 2_048 * 3_072 * 24;

export const defaultLimits: Limits = {
  jsonBodyBytes: 32 * MIB,
  jsonDepth: 64,
  jsonKeys: 100_000,
  jsonValues: 1_000_000,
  jsonContainers: 50_000,
  multipartBodyBytes: 50 * MIB,
  bytesInFlight: 192 * MIB,
  bytesInFlightPerSpace: 96 * MIB,
  bytesInFlightPerKey: 64 * MIB,
  bytesWaitMs: 5_000,
  streamsPerKey: 500,
  streamsPerSpace: 1_000,
  uploadsPerKey: 20,
  uploadsPerSpace: 40,
  logStreamsPerPerson: 20,
  logStreamsPerProject: 200,
  messages: 2_000,
  clientIdleMs: 60_000,
  clientRequestMs: 300_000,
  upstreamConnectMs: 10_000,
  upstreamSilenceMs: 300_000,
  upstreamBodyBytes: LARGEST_ANSWER_BYTES,
  callTotalMs: 600_000,
  streamTotalMs: 3_600_000,
  transferTotalMs: 3_600_000,
  shutdownWaitMs: 5_000,
  shutdownIdleMs: 5_000,
  drainMs: 30_000,
  batchLines: 64,
  batchPollMs: 60_000,
  batchUnknownMs: 120_000,
  videoPollMs: 10_000,
  videoUnknownMs: 120_000,
  keptResponseBytes: 8 * MIB,
  keptSpaceBytes: 1024 * MIB,
};

export function readLimits(entries: ConfigFile['limits'] = {}): Limits {
  return {
    jsonBodyBytes: entries.json_body_bytes ?? defaultLimits.jsonBodyBytes,
    jsonDepth: entries.json_depth ?? defaultLimits.jsonDepth,
    jsonKeys: entries.json_keys ?? defaultLimits.jsonKeys,
    jsonValues: entries.json_values ?? defaultLimits.jsonValues,
    jsonContainers: entries.json_containers ?? defaultLimits.jsonContainers,
    multipartBodyBytes: entries.multipart_body_bytes ?? defaultLimits.multipartBodyBytes,
    bytesInFlight: entries.bytes_in_flight ?? defaultLimits.bytesInFlight,
    bytesInFlightPerSpace: entries.bytes_in_flight_per_space ?? defaultLimits.bytesInFlightPerSpace,
    bytesInFlightPerKey: entries.bytes_in_flight_per_key ?? defaultLimits.bytesInFlightPerKey,
    bytesWaitMs: entries.bytes_wait_ms ?? defaultLimits.bytesWaitMs,
    streamsPerKey: entries.streams_per_key ?? defaultLimits.streamsPerKey,
    streamsPerSpace: entries.streams_per_space ?? defaultLimits.streamsPerSpace,
    uploadsPerKey: entries.uploads_per_key ?? defaultLimits.uploadsPerKey,
    uploadsPerSpace: entries.uploads_per_space ?? defaultLimits.uploadsPerSpace,
    logStreamsPerPerson: entries.log_streams_per_person ?? defaultLimits.logStreamsPerPerson,
    logStreamsPerProject: entries.log_streams_per_project ?? defaultLimits.logStreamsPerProject,
    messages: entries.messages ?? defaultLimits.messages,
    clientIdleMs: entries.client_idle_ms ?? defaultLimits.clientIdleMs,
    clientRequestMs: entries.client_request_ms ?? defaultLimits.clientRequestMs,
    upstreamConnectMs: entries.upstream_connect_ms ?? defaultLimits.upstreamConnectMs,
    upstreamSilenceMs: entries.upstream_silence_ms ?? defaultLimits.upstreamSilenceMs,
    upstreamBodyBytes: entries.upstream_body_bytes ?? defaultLimits.upstreamBodyBytes,
    callTotalMs: entries.call_total_ms ?? defaultLimits.callTotalMs,
    streamTotalMs: entries.stream_total_ms ?? defaultLimits.streamTotalMs,
    transferTotalMs: entries.transfer_total_ms ?? defaultLimits.transferTotalMs,
    shutdownWaitMs: entries.shutdown_wait_ms ?? defaultLimits.shutdownWaitMs,
    shutdownIdleMs: entries.shutdown_idle_ms ?? defaultLimits.shutdownIdleMs,
    drainMs: entries.drain_ms ?? defaultLimits.drainMs,
    batchLines: entries.batch_lines ?? defaultLimits.batchLines,
    batchPollMs: entries.batch_poll_ms ?? defaultLimits.batchPollMs,
    batchUnknownMs: entries.batch_unknown_ms ?? defaultLimits.batchUnknownMs,
    videoPollMs: entries.video_poll_ms ?? defaultLimits.videoPollMs,
    videoUnknownMs: entries.video_unknown_ms ?? defaultLimits.videoUnknownMs,
    keptResponseBytes: entries.kept_response_bytes ?? defaultLimits.keptResponseBytes,
    keptSpaceBytes: entries.kept_space_bytes ?? defaultLimits.keptSpaceBytes,
  };
}
