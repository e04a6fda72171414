/** Reads the jobs of a provider by the field names in the catalogue. Pure. */
import type { HttpVideoSettings } from '../../catalog/dialects/http-video/http-video.ts';
import { type JsonPointer, valueAt } from '../../json/json-pointer.ts';
import { Problem } from '../../kernel/problem.ts';
import type { ProviderMask } from '../provider-mask.ts';
import { statusProblem } from '../status-problem.ts';
import type { ProviderFile, ProviderVideo } from '../video-provider.ts';

/** Throws if the answer lacks a field that the settings name. */
export function readJob(json: unknown, settings: HttpVideoSettings, mask: ProviderMask): ProviderVideo {
  const job = valueAt(json, settings.job);
  const { status } = settings;
  const id = wordAt(job, settings.create.id);
  if (id === '') throw new Error("the provider's answer has no job id");
  const providerState = wordAt(job, status.state);
  const state = status.states.get(providerState);
  if (state === undefined) {
    throw new Error(
      `the provider sent a state that is not in video.status.states: ${mask.text(providerState).slice(0, 40)}`,
    );
  }
  const progress = numberAt(job, status.progress);
  const seconds = numberAt(job, status.seconds);
  return {
    id,
    state,
    progress:
      progress === null ? null : Math.min(Math.max(Math.floor((progress / status.progressOf) * 100), 0), 100),
    files: state === 'succeeded' ? readFiles(job, id, status) : [],
    problem: state === 'failed' ? failureOf(job, settings, mask) : null,
    seconds: seconds !== null && seconds > 0 ? seconds : null,
    charged: status.charged !== null && valueAt(job, status.charged) === true,
  };
}

/** The answer to a create request; only the id is required. */
export function readCreated(json: unknown, settings: HttpVideoSettings, mask: ProviderMask): ProviderVideo {
  const job = valueAt(json, settings.job);
  if (settings.status.states.has(wordAt(job, settings.status.state))) return readJob(json, settings, mask);
  const id = wordAt(job, settings.create.id);
  if (id === '') throw new Error('the provider accepted a job but returned no id');
  return { id, state: 'queued', progress: null, files: [], problem: null, seconds: null, charged: false };
}

/** The jobs that a look-up found: a list, a single one, or none. */
export function jobsFound(json: unknown, jobs: JsonPointer): readonly unknown[] {
  const found = valueAt(json, jobs);
  if (Array.isArray(found)) return found;
  return found === undefined || found === null ? [] : [found];
}

/** Maps an error answer by its status and message. */
export function readProblem(
  status: number,
  json: unknown,
  { settings, mask }: { settings: HttpVideoSettings; mask: ProviderMask },
): Problem {
  const { message, blocked } = readErrorMessage(json, settings, mask);
  const cause = new Error(`provider answered ${status}`);
  if (blocked) return new Problem('content_blocked', { ...(message !== '' && { detail: message }), cause });
  return statusProblem(status, { message, cause });
}

function failureOf(job: unknown, settings: HttpVideoSettings, mask: ProviderMask): Problem {
  const { message, blocked } = readErrorMessage(job, settings, mask);
  const detail = { ...(message !== '' && { detail: message }) };
  return new Problem(blocked ? 'content_blocked' : 'upstream_error', detail);
}

function readErrorMessage(
  json: unknown,
  { error }: HttpVideoSettings,
  mask: ProviderMask,
): { message: string; blocked: boolean } {
  const message = error.message === null ? '' : mask.text(wordAt(json, error.message));
  return { message, blocked: error.code !== null && error.blocked.has(wordAt(json, error.code)) };
}

function readFiles(
  job: unknown,
  videoId: string,
  { files, fileUrl }: HttpVideoSettings['status'],
): readonly ProviderFile[] {
  const found = valueAt(job, files);
  return (Array.isArray(found) ? found : [found]).flatMap((item) => {
    const place = wordAt(typeof item === 'string' ? item : valueAt(item, fileUrl), []);
    return place === '' ? [] : [{ videoId, place, mimeType: 'video/mp4' }];
  });
}

/** Ids and states are strings, sometimes numbers. */
function wordAt(json: unknown, pointer: JsonPointer): string {
  const value = valueAt(json, pointer);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}

function numberAt(json: unknown, pointer: JsonPointer | null): number | null {
  const value = pointer === null ? undefined : valueAt(json, pointer);
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}
