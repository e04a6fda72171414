/**
 * A video provider whose HTTP interface the catalogue describes. The only file of this folder that does I/O.
 */
import type { HttpVideoSettings } from '../../catalog/dialects/http-video/http-video.ts';
import type { ProviderSettings } from '../../catalog/provider-settings.ts';
import { parseObject } from '../../json/read-json.ts';
import { randomBase62 } from '../../kernel/ids.ts';
import type { Problem } from '../../kernel/problem.ts';
import { writeInlineBody } from '../inline-media.ts';
import { sendFailure } from '../not-sent.ts';
import type { Provider, ProviderTools } from '../provider.ts';
import { ProviderCalls } from '../provider-calls.ts';
import { ProviderFiles } from '../provider-files.ts';
import type { ProviderMask } from '../provider-mask.ts';
import { rejectVideoFields, type VideoField } from '../reject-video-fields.ts';
import type {
  FoundVideo,
  ProviderFile,
  ProviderVideo,
  SentVideo,
  VideoCall,
  VideoProvider,
  VideoToCreate,
} from '../video-provider.ts';
import { fillTemplate, placeholdersIn } from './fill-template.ts';
import { jobsFound, readCreated, readJob, readProblem } from './read-job.ts';
import { placeholderValues } from './write-job.ts';

/** Long enough that no prompt contains it by chance. */
const MARKER_CHARACTERS = 40;
/** These statuses mean that it has already ended. */
const ENDED: readonly number[] = [400, 404, 409, 410, 422];

export function httpVideoProvider(settings: ProviderSettings, tools: ProviderTools): Provider {
  const { name, simulated, video } = settings;
  if (video === undefined) throw new Error(`the provider ${name} has no video settings`);
  const videos = new HttpVideoProvider(settings, video, tools);
  return {
    name,
    simulated,
    texts: [],
    videos,
    close() {
      videos.close();
      return Promise.resolve();
    },
  };
}

class HttpVideoProvider implements VideoProvider {
  readonly cancel?: (id: string, signal: AbortSignal) => Promise<void>;
  readonly remove?: (id: string, signal: AbortSignal) => Promise<void>;
  readonly #settings: HttpVideoSettings;
  readonly #mask: ProviderMask;
  readonly #words: readonly VideoField[];
  readonly #calls: ProviderCalls;
  readonly #files: ProviderFiles;

  constructor({ apiKey, baseUrl }: ProviderSettings, settings: HttpVideoSettings, tools: ProviderTools) {
    this.#settings = settings;
    this.#mask = tools.mask;
    this.#words = [...placeholdersIn(settings.create.body)] as VideoField[];
    const { header, prefix } = settings.auth;
    const headers = {
      accept: 'application/json',
      'user-agent': 'tollgate',
      ...settings.headers,
      ...(!apiKey.empty && { [header.toLowerCase()]: prefix + apiKey.reveal() }),
    };
    const problem = (status: number, body: Buffer): Problem => this.problem(status, body);
    this.#calls = new ProviderCalls({ baseUrl, headers, mask: tools.mask, problem }, tools);
    this.#files = new ProviderFiles({ baseUrl, headers, problem, hosts: settings.fileHosts }, tools);
    const { cancel, remove } = settings;
    if (cancel !== null) this.cancel = (id, signal) => this.#cancel(cancel, id, signal);
    if (remove !== null) this.remove = (id, signal) => this.#calls.delete(withId(remove.path, id), signal);
  }

  close(): void {
    this.#calls.close();
    this.#files.close();
  }

  problem(status: number, body: Buffer): Problem {
    const json = parseObject(body.toString('utf8'));
    return readProblem(status, json, { settings: this.#settings, mask: this.#mask });
  }

  check(call: VideoCall): void {
    rejectVideoFields(call, this.#words);
  }

  async create(video: VideoToCreate, signal: AbortSignal): Promise<ProviderVideo> {
    const { create, inputs } = this.#settings;
    const values = await placeholderValues(video, inputs);
    const filled = fillTemplate(create.body, values) as object;
    const { length, pieces } = writeInlineBody(filled, randomBase62(MARKER_CHARACTERS));
    let whole = false;
    const beforeLast = async (): Promise<void> => {
      if (!(await video.mayAct())) throw new Error('stopped before it was sent');
      whole = true;
    };
    const headers = {
      'content-type': 'application/json',
      ...(create.idempotencyHeader !== null && { [create.idempotencyHeader.toLowerCase()]: video.jobId }),
    };
    try {
      const body = { length, pieces: () => pieces(beforeLast) };
      const { json } = await this.#calls.post(create.path, signal, { headers, body });
      return readCreated(json, this.#settings, this.#mask);
    } catch (error) {
      throw sendFailure(error, { whole });
    }
  }

  /** Looks up by our id, which was sent with the create request. */
  async find({ jobId }: SentVideo, signal: AbortSignal): Promise<FoundVideo> {
    const { lookup } = this.#settings;
    if (lookup === null) return 'unknowable';
    const path = lookup.path.replaceAll('{client_id}', encodeURIComponent(jobId));
    const { status, json } = await this.#calls.get(path, signal, { fine: [404] });
    if (status === 404) return 'absent';
    const [first, ...others] = jobsFound(json, lookup.jobs);
    if (first === undefined) return 'absent';
    return others.length > 0 ? 'unknowable' : readJob(first, { ...this.#settings, job: [] }, this.#mask);
  }

  async status(id: string, signal: AbortSignal): Promise<ProviderVideo | null> {
    const path = withId(this.#settings.status.path, id);
    const { status, json } = await this.#calls.get(path, signal, { fine: [404, 410] });
    return status === 404 || status === 410 ? null : readJob(json, this.#settings, this.#mask);
  }

  open({ place }: ProviderFile, signal: AbortSignal): AsyncIterable<Buffer> {
    return this.#files.open(place, signal);
  }

  async #cancel(
    { method, path }: NonNullable<HttpVideoSettings['cancel']>,
    id: string,
    signal: AbortSignal,
  ): Promise<void> {
    if (method === 'DELETE') await this.#calls.delete(withId(path, id), signal);
    else await this.#calls.post(withId(path, id), signal, { fine: ENDED });
  }
}

function withId(path: string, id: string): string {
  return path.replaceAll('{id}', encodeURIComponent(id));
}
