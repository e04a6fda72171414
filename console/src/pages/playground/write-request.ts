/** Makes the request of a model from what was typed. Pure. */
import type { PlayMode } from '../../../../gateway/src/contract/paid-endpoints.ts';
import { modeCalls, type PlaySettings } from './mode-calls.ts';
import { pathOf } from './modes.ts';

export interface PlayRequest {
  readonly mode: PlayMode;
  readonly path: string;
  /** Beside the key and the content type. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly streams: boolean;
}

export function writeRequest(
  mode: PlayMode,
  model: { id: string; streams: boolean },
  settings: PlaySettings,
): PlayRequest {
  const streams = model.streams && modeCalls[mode].add !== null;
  const written = Object.entries(modeCalls[mode].write(settings)).filter(([, value]) => value !== undefined);
  const body = { model: model.id, ...Object.fromEntries(written), ...(streams && { stream: true }) };
  return {
    mode,
    path: pathOf(mode),
    headers: mode === 'messages' ? { 'vendor-version': '2023-06-01' } : {},
    body: streams && mode === 'chat' ? { ...body, stream_options: { include_usage: true } } : body,
    streams,
  };
}
