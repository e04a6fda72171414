/** What the tests of lists share: a gateway with all kinds of things to list, made through the API. */
import { expect } from 'vitest';
import type { EndpointName } from '../../src/contract/endpoints.ts';
import { BatchStage, chatLine } from './batches-stage.ts';
import { changeConfig } from './config.ts';
import { filesConfig } from './files-stage.ts';
import type { TestGateway } from './gateway.ts';
import { redPng } from './references.ts';

export const listsConfig = changeConfig(filesConfig, {
  api: { file_lists: true },
  models: {
    film: { endpoints: ['video'], routes: [{ provider: 'simulator', model: 'sim-video' }] },
  },
  prices: { models: { film: { per_second: '0.1' } } },
  limits: { video_poll_ms: 100 },
});

export interface ListedKind {
  readonly name: string;
  readonly endpoint: EndpointName;
  readonly path: string;
  /** Makes one and returns its id. */
  make(gateway: TestGateway, key: string): Promise<string>;
}

let made = 0;

export const listedKinds: readonly ListedKind[] = [
  {
    ...{ name: 'file', endpoint: 'listFiles', path: '/v1/files' },
    make: (gateway, key) => new BatchStage(gateway, key).upload([nextLine()]),
  },
  {
    ...{ name: 'batch', endpoint: 'listBatches', path: '/v1/batches' },
    make: async (gateway, key) => (await new BatchStage(gateway, key).submitted([nextLine()])).id,
  },
  {
    ...{ name: 'job', endpoint: 'listJobs', path: '/v1/jobs' },
    async make(gateway, key) {
      const body = { model: 'film', prompt: `[[video stay]] ${made++}` };
      const headers = { authorization: `Bearer ${key}` };
      return await idOf(await gateway.post('/v1/video/generations', body, headers), 'id');
    },
  },
  {
    ...{ name: 'reference', endpoint: 'listReferences', path: '/v1/references' },
    async make(gateway, key) {
      const form = new FormData();
      form.set('file', new Blob([redPng], { type: 'image/png' }), 'red.png');
      const headers = { authorization: `Bearer ${key}` };
      const reply = await fetch(`${gateway.url}/v1/references`, { method: 'POST', body: form, headers });
      return await idOf(reply, 'file_id');
    },
  },
];

function nextLine(): string {
  return chatLine(`line-${made++}`, 'Reply with exactly: listed');
}

async function idOf(reply: Response, field: string): Promise<string> {
  const body = (await reply.json()) as Record<string, string>;
  expect(reply.status, JSON.stringify(body)).toBe(200);
  return body[field] as string;
}
