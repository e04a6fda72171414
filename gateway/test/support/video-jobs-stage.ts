/** Shared by tests of video jobs: the models, creating a job, and waiting for a state. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import type { JobObject } from '../../src/contract/video.ts';
import { sql } from '../../src/database/sql.ts';
import type { TestGateway } from './gateway.ts';
import { BACKGROUND_PATIENCE } from './patience.ts';

/** `unknownMs`: how long a video without an answer may still appear. */
export const videoConfig = (unknownMs = 300): string => `
providers:
  simulator: { dialect: openai, base_url: SIMULATOR, api_key: simulator-key, simulated: true }
  nowhere: { dialect: openai, base_url: 'http://127.0.0.1:1/v1', api_key: simulator-key }
  maker:
    dialect: http-video
    base_url: SIMULATOR_ORIGIN/generic
    api_key: simulator-key
    simulated: true
    video:
      auth: { header: x-video-key, prefix: "Key " }
      inputs: data_url
      job: /job
      create:
        path: /video
        body: |
          { "client_id": "{{client_id}}", "model": "{{model}}", "prompt": "{{prompt}}", "count": "{{n}}",
            "duration": "{{duration_seconds}}", "first_frame": "{{image_url}}" }
      status:
        path: /video/{id}
        state: /phase
        states: { queued: [waiting], running: [rendering], succeeded: [done], failed: [error], cancelled: [stopped] }
        progress: /percent
        seconds: /billed_seconds
        charged: /billed
        files: /videos
        file_url: /href
      lookup: { path: "/video?client_id={client_id}", jobs: /jobs }
      cancel: { path: "/video/{id}/stop" }
      remove: { path: "/video/{id}" }
      error: { message: /fault/text, code: /fault/kind, blocked: [moderation] }
models:
  film:
    endpoints: [video]
    video: { seconds: [4, 8, 12], seconds_default: 4, resolutions: [720p], aspect_ratios: ['16:9', '9:16'], inputs: [image] }
    routes: [{ provider: simulator, model: sim-video }]
  film-unpriced:
    endpoints: [video]
    video: { inputs: [image] }
    routes: [{ provider: simulator, model: sim-video }]
  film-far:
    endpoints: [video]
    video: { inputs: [image] }
    routes: [{ provider: nowhere, model: sim-video }, { provider: simulator, model: sim-video, priority: 2 }]
  made:
    endpoints: [video]
    video: { seconds: [5, 10], seconds_default: 5, inputs: [image], videos_max: 2 }
    routes: [{ provider: maker, model: sim-video-http }]
  film-nowhere:
    endpoints: [video]
    routes: [{ provider: nowhere, model: sim-video }]
  chat: { routes: [{ provider: simulator, model: sim-chat }] }
prices:
  version: test-1
  models:
    film: { per_second: { default: '0.1', 720p: '0.25' } }
    made: { per_second: '0.08' }
    film-far: { per_second: '0.1' }
    film-nowhere: { per_second: '0.1' }
limits: { video_poll_ms: 100, video_unknown_ms: ${unknownMs} }
`;

export class VideoStage {
  readonly #gateway: TestGateway;
  readonly #key: string;

  constructor(gateway: TestGateway, key: string = gateway.key) {
    this.#gateway = gateway;
    this.#key = key;
  }

  create(body: Record<string, unknown>, headers: Record<string, string> = {}): Promise<Response> {
    return this.ask('/v1/video/generations', {
      method: 'POST',
      body: JSON.stringify({ model: 'film', prompt: 'a red kite', ...body }),
      headers: { 'content-type': 'application/json', ...headers },
    });
  }

  async created(prompt: string, more: Record<string, unknown> = {}): Promise<JobObject> {
    const reply = await this.create({ prompt, ...more });
    const body = await reply.json();
    expect(reply.status, JSON.stringify(body)).toBe(200);
    return body as JobObject;
  }

  async get(id: string): Promise<JobObject> {
    const reply = await this.ask(`/v1/jobs/${id}`);
    expect(reply.status).toBe(200);
    return (await reply.json()) as JobObject;
  }

  cancel(id: string): Promise<Response> {
    return this.ask(`/v1/jobs/${id}/cancel`, { method: 'POST' });
  }

  /** Waits until `is` is true for the job. */
  async until(id: string, is: (job: JobObject) => boolean): Promise<JobObject> {
    return await vi.waitFor(async () => {
      const job = await this.get(id);
      expect(is(job), JSON.stringify(job)).toBe(true);
      return job;
    }, BACKGROUND_PATIENCE);
  }

  ended(id: string): Promise<JobObject> {
    return this.until(id, ({ completed_at }) => completed_at !== null);
  }

  /** The stored bytes of its files, after checking them against their rows. */
  async kept(job: JobObject): Promise<Buffer[]> {
    const rows = await this.#gateway.query<{ id: string; sha256: string; bytes: number }>(sql`
      select id, sha256, bytes from media where job_id = ${job.id} and status = 'ready' order by position`);
    return rows.map(({ id, sha256, bytes }) => {
      const content = readFileSync(join(this.#gateway.folder, 'blobs', id));
      expect([content.length, sha256Of(content)]).toEqual([bytes, sha256]);
      return content;
    });
  }

  /** How many videos the provider created for a prompt; there must never be two. */
  made(prompt: string): number {
    return this.#gateway.simulator.videos.made(prompt);
  }

  ask(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.#gateway.url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${this.#key}`, ...(init.headers as Record<string, string>) },
    });
  }
}

export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
