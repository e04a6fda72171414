/** Every limit of the gateway with its default; `limits:` in tollgate.yaml changes any of them. */
import type { ConfigFile } from '../catalog/config-file.ts';

export interface Limits {
  readonly jsonBodyBytes: number;
  readonly jsonDepth: number;
  readonly jsonKeys: number;
  readonly jsonValues: number;
  readonly messages: number;
  readonly clientIdleMs: number;
  readonly clientRequestMs: number;
  readonly upstreamConnectMs: number;
  readonly upstreamSilenceMs: number;
  readonly upstreamBodyBytes: number;
  readonly streamTotalMs: number;
  readonly drainMs: number;
}

const MIB = 1024 * 1024;

export const defaultLimits: Limits = {
  jsonBodyBytes: 32 * MIB,
  jsonDepth: 64,
  jsonKeys: 100_000,
  jsonValues: 1_000_000,
  messages: 2_000,
  clientIdleMs: 60_000,
  clientRequestMs: 300_000,
  upstreamConnectMs: 10_000,
  upstreamSilenceMs: 300_000,
  upstreamBodyBytes: 64 * MIB,
  streamTotalMs: 3_600_000,
  drainMs: 30_000,
};

export function readLimits(entries: ConfigFile['limits'] = {}): Limits {
  return {
    jsonBodyBytes: entries.json_body_bytes ?? defaultLimits.jsonBodyBytes,
    jsonDepth: entries.json_depth ?? defaultLimits.jsonDepth,
    jsonKeys: entries.json_keys ?? defaultLimits.jsonKeys,
    jsonValues: entries.json_values ?? defaultLimits.jsonValues,
    messages: entries.messages ?? defaultLimits.messages,
    clientIdleMs: entries.client_idle_ms ?? defaultLimits.clientIdleMs,
    clientRequestMs: entries.client_request_ms ?? defaultLimits.clientRequestMs,
    upstreamConnectMs: entries.upstream_connect_ms ?? defaultLimits.upstreamConnectMs,
    upstreamSilenceMs: entries.upstream_silence_ms ?? defaultLimits.upstreamSilenceMs,
    upstreamBodyBytes: entries.upstream_body_bytes ?? defaultLimits.upstreamBodyBytes,
    streamTotalMs: entries.stream_total_ms ?? defaultLimits.streamTotalMs,
    drainMs: entries.drain_ms ?? defaultLimits.drainMs,
  };
}
