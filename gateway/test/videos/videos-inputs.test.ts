/** Inputs of videos that are not inline: web addresses and references, and how they reach providers. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { changeConfig } from '../support/config.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { bluePng, keepReference, redPng } from '../support/references.ts';
import { VideoStage, videoConfig } from '../support/video-jobs-stage.ts';

const config = changeConfig(videoConfig(), {
  providers: { maker: { video: { inputs: 'url' } } },
  server: { fetch_allow: ['127.0.0.1'], public_url: 'https://gate.example' },
});

describe.each(oneEngine('embedded', 'providers'))('inputs of videos on %s', (engine) => {
  let gateway: TestGateway;
  let stage: VideoStage;
  let elsewhere: Server;
  let origin: string;
  let asked: string[];

  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
    stage = new VideoStage(gateway);
    asked = [];
    elsewhere = createServer((request, response) => {
      asked.push(request.url ?? '');
      if (request.url === '/blue.png') response.end(bluePng);
      else if (request.url === '/moved') response.writeHead(302, { location: '/blue.png' }).end();
      else if (request.url === '/inside') response.writeHead(302, { location: 'https://10.0.0.1/' }).end();
      else if (request.url === '/page') response.end('<html></html>');
      else if (request.url === '/cut') {
        response.writeHead(200, { 'content-length': '1000000' });
        response.write(bluePng, () => response.destroy());
      } else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    elsewhere.closeAllConnections();
    elsewhere.close();
    await gateway.stop();
  });

  test('an address is fetched once, when the job is accepted, and its bytes reach the provider', async () => {
    const made = await stage.created('from afar', { image_url: `${origin}/moved` });
    expect(asked).toEqual(['/moved', '/blue.png']);
    await stage.ended(made.id);
    const sent = gateway.simulator.calls.find(({ bytes }) => bytes.includes('from afar'));
    expect(sent?.bytes.includes(bluePng)).toBe(true);
    expect(asked).toHaveLength(2);
  });

  test.each([
    ['/inside', 'which cannot be found or is not on the public internet'],
    ['/page', 'the content has an unknown format'],
    ['/cut', 'its server closed the connection'],
    ['/nothing', 'its server answered with status 404'],
  ])('%s is rejected, naming the field, and leaves nothing behind', async (path, why) => {
    const count = () =>
      gateway.query(sql`select (select count(*) from video_jobs) as jobs,
        (select count(*) from reference_files) as refs, (select count(*) from pending_blobs) as blobs`);
    const before = await count();
    const reply = await stage.create({ image_url: `${origin}${path}` });
    const body = (await reply.json()) as { type: string; detail: string; error: { param: string } };
    expect([reply.status, body.type, body.error.param]).toEqual([400, 'invalid_parameter', 'image_url']);
    expect(body.detail).toContain(why);
    expect(await count()).toEqual(before);
  });

  test.each([
    'https://169.254.169.254/latest',
    'https://127.1:9/',
    'https://u:p@example.com/',
    'ftp://example.com/a',
  ])('%s is never fetched', async (url) => {
    const reply = await stage.create({ image_url: url });
    expect(await reply.json()).toMatchObject({ type: 'invalid_parameter', error: { param: 'image_url' } });
    expect(reply.status).toBe(400);
  });

  test('a managed reference is registered with the provider once, and later requests use its id', async () => {
    const reference = await keepReference(gateway, { track: 'managed' });
    for (const prompt of ['the first of two', 'the second of two']) {
      await stage.ended((await stage.created(prompt, { image_url: reference })).id);
    }
    const rows = await gateway.query<{ asset: string }>(sql`select asset from provider_assets`);
    expect(rows).toHaveLength(1);
    const uploads = gateway.simulator.calls.filter(
      ({ method, path }) => method === 'POST' && path === '/v1/files',
    );
    expect(uploads).toHaveLength(1);
    for (const prompt of ['the first of two', 'the second of two']) {
      const sent = gateway.simulator.calls.find(({ bytes }) => bytes.includes(prompt));
      expect(sent?.bytes.includes(rows[0]?.asset ?? '?')).toBe(true);
      expect(sent?.bytes.includes(redPng)).toBe(false);
    }
  });

  test('a provider that fetches its inputs gets a signed URL of the gateway', async () => {
    const reference = await keepReference(gateway, { bytes: bluePng });
    await stage.created('by its address', { model: 'made', image_url: reference });
    const { body } = await gateway.simulator.waitFor(({ text }) => text.includes('by its address'));
    const { first_frame } = body as { first_frame: string };
    expect(first_frame.startsWith(`https://gate.example/media/${reference.slice(11)}?`)).toBe(true);
    const served = await fetch(first_frame.replace('https://gate.example', gateway.url));
    expect(Buffer.from(await served.arrayBuffer()).equals(bluePng)).toBe(true);
    const edited = await fetch(
      first_frame.replace('https://gate.example', gateway.url).replace('expires=1', 'expires=2'),
    );
    expect(edited.status).toBe(404);
  });

  test('a reference of another space is answered like a missing one', async () => {
    await gateway.admin('spaces.create', { name: `far-${engine}`, overage: true });
    const foreign = await keepReference(gateway, { space: `far-${engine}` });
    const absent = `svc-file://ref_${'0'.repeat(26)}`;
    const answers = await Promise.all(
      [foreign, absent].map(async (image_url) => {
        const reply = await stage.create({ image_url });
        const { detail } = (await reply.json()) as { detail: string };
        return [reply.status, detail];
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.[0]).toBe(400);
  });
});
