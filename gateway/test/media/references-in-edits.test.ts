/** Pictures of edits, and of lines in batches, that lie elsewhere: references and addresses. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Form } from '../../simulator/multipart.ts';
import { BatchStage } from '../support/batches-stage.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { bluePng, keepReference, redPng } from '../support/references.ts';
import { askAbout, referencesConfig } from '../support/references-stage.ts';

interface Refused {
  readonly type: string;
  readonly detail: string;
  readonly error: { readonly param: string };
}

describe.each(oneEngine('embedded', 'providers'))('pictures that lie elsewhere on %s', (engine) => {
  let gateway: TestGateway;
  let pictures: Server;
  let origin: string;

  beforeAll(async () => {
    gateway = await startGateway({ engine, config: referencesConfig });
    pictures = createServer((request, response) => {
      if (request.url === '/blue.png') response.end(bluePng);
      else if (request.url === '/moved') response.writeHead(302, { location: '/blue.png' }).end();
      else if (request.url === '/inside') response.writeHead(302, { location: 'http://10.0.0.1/' }).end();
      else if (request.url === '/page') response.end('<html></html>');
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => pictures.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(pictures.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    pictures.closeAllConnections();
    pictures.close();
    await gateway.stop();
  });

  const edit = (images: readonly string[], mask?: string): Promise<Response> =>
    gateway.post('/v1/images/edits', {
      ...{
        model: 'sim-image',
        prompt: 'Make it brighter',
        images: images.map((url) => ({ image_url: url })),
      },
      ...(mask !== undefined && { mask: { image_url: mask } }),
    });

  test('an edit takes references, addresses and data side by side, in their order', async () => {
    const file = await keepReference(gateway);
    const managed = await keepReference(gateway, { track: 'managed' });
    const data = `data:image/png;base64,${bluePng.toString('base64')}`;
    const reply = await edit([file, `${origin}/moved`, data, managed], file);
    expect(reply.status, await reply.clone().text()).toBe(200);
    const form = gateway.simulator.calls.at(-1)?.body;
    if (!(form instanceof Form)) throw new Error('no form was sent');
    const sent = form
      .files('image[]')
      .map((part) => (Buffer.from(part.data).equals(redPng) ? 'red' : 'blue'));
    expect(sent).toEqual(['red', 'blue', 'blue', 'red']);
    expect(Buffer.from(form.files('mask')[0]?.data ?? '')).toEqual(redPng);
  });

  test('what is missing, foreign, of another kind or not public is refused by its name, and nothing is charged', async () => {
    const gif = await keepReference(gateway, { mimeType: 'image/gif', bytes: Buffer.from('GIF89a') });
    const film = await keepReference(gateway, { kind: 'video', mimeType: 'video/mp4' });
    const expired = await keepReference(gateway, { expiresAt: Date.now() - 1 });
    await gateway.admin('spaces.create', { name: `other-${engine}`, overage: true });
    const foreign = await keepReference(gateway, { space: `other-${engine}` });
    const before = gateway.simulator.calls.length;
    for (const [url, detail] of [
      [gif, /must be a PNG or JPEG or WEBP image/],
      [film, /must name a file of type image, but the reference is video\/mp4/],
      [expired, /names no reference of this space/],
      [foreign, /names no reference of this space/],
      ['svc-file://ref_x', /names no reference of this space/],
      [`${origin}/nothing`, /answered with status 404/],
      [`${origin}/page`, /must be a PNG or JPEG or WEBP image/],
      [`${origin}/inside`, /must be an https address|not on the public internet/],
      ['https://10.0.0.1/a.png', /not on the public internet/],
      ['https://localhost/a.png', /not on the public internet/],
      ['http://93.184.215.14/a.png', /must be an https address/],
      ['http://127.0.0.1:1/a.png', /closed the connection or is unreachable/],
    ] as const) {
      const reply = await edit([await keepReference(gateway), url]);
      const { type, detail: said, error } = (await reply.json()) as Refused;
      expect([reply.status, type, error.param], url).toEqual([
        400,
        'invalid_parameter',
        'images[1].image_url',
      ]);
      expect(said).toMatch(detail);
    }
    expect(gateway.simulator.calls).toHaveLength(before);
  });

  test.each(['on-openai', 'in-batches'])(
    'lines of a batch on %s show the model their pictures',
    async (model) => {
      const stage = new BatchStage(gateway);
      const line = (id: string, url: string): string =>
        JSON.stringify({
          ...{ custom_id: id, method: 'POST', url: '/v1/chat/completions' },
          body: { service_tier: 'default', ...askAbout(url, 'chat', { model }) },
        });
      const { id } = await stage.submitted([
        line('file', await keepReference(gateway)),
        line('asset', await keepReference(gateway, { track: 'managed' })),
        line('gone', 'svc-file://ref_x'),
        line('inside', 'http://10.0.0.1/a.png'),
      ]);
      const batch = await stage.settled(id);
      expect(batch.request_counts).toEqual({ total: 4, completed: 2, failed: 2 });
      const good = await stage.lines(batch.output_file_id ?? null);
      for (const name of ['file', 'asset']) {
        expect(good.get(name)?.response?.body.choices?.[0]?.message.content).toContain('mostly red');
      }
      const bad = await stage.lines(batch.error_file_id ?? null);
      for (const name of ['gone', 'inside']) {
        const param = 'messages[0].content[1].image_url.url';
        expect(bad.get(name)?.response?.body.error).toMatchObject({ code: 'invalid_parameter', param });
      }
    },
  );
});
