/** What people read over the console API: why a request was answered so, and the results of batches. */

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Explanation } from '../../src/contract/explanation.ts';
import { BatchStage, chatLine } from '../support/batches-stage.ts';
import { testConfig, withBatches } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';

const config = withBatches(testConfig());

describe.each(engines)('reading in the console on %s', (engine) => {
  let gateway: TestGateway;
  const tokens: Record<string, string> = {};
  let annsKey: string;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
    await gateway.admin('spaces.create', { name: 'other', overage: true });
    for (const [space, email, role] of [
      ['acme', 'admin@example.com', 'admin'],
      ['acme', 'ann@example.com', 'member'],
      ['acme', 'bob@example.com', 'member'],
      ['other', 'stranger@example.com', 'admin'],
    ] as const) {
      await gateway.admin('members.add', { space, email, role });
      const { code } = await gateway.admin('people.link', { email });
      const reply = await fetch(`${gateway.url}/api/console/session/link`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ code, keep: 'token' }),
      });
      tokens[email] = ((await reply.json()) as { token: string }).token;
    }
    const made = { space: 'acme', name: 'anns', kind: 'personal', email: 'ann@example.com' } as const;
    annsKey = (await gateway.admin('keys.create', made)).key;
  });
  afterAll(() => gateway.stop());

  function read(email: string, path: string): Promise<Response> {
    return fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${tokens[email]}` } });
  }

  test('a request is explained to its owner and to administrators of its space, and to nobody else', async () => {
    const body = { model: 'nothing', messages: [{ role: 'user', content: 'hi' }] };
    const refused = await gateway.chat(body, { authorization: `Bearer ${annsKey}` });
    const ref = refused.headers.get('x-request-id') as string;
    for (const email of ['admin@example.com', 'ann@example.com']) {
      const explanation = await vi.waitFor(async () => {
        const reply = await read(email, `/api/console/why/${ref}`);
        expect(reply.status).toBe(200);
        return (await reply.json()) as Explanation;
      }, PATIENCE);
      expect(explanation).toMatchObject({
        space: 'acme',
        key: 'anns',
        member: 'ann@example.com',
        refusal: { type: 'model_not_found' },
      });
    }
    const absent = `req_${'0'.repeat(26)}`;
    for (const email of ['bob@example.com', 'stranger@example.com']) {
      const [theirs, none] = [
        await read(email, `/api/console/why/${ref}`),
        await read(email, `/api/console/why/${absent}`),
      ];
      expect([theirs.status, none.status]).toEqual([404, 404]);
      const detail = async (reply: Response) => ((await reply.json()) as { detail: string }).detail;
      expect((await detail(theirs)).replace(ref, '')).toBe((await detail(none)).replace(absent, ''));
    }
  });

  test("results of a person's batch are read by administrators of the space, and by no other person", async () => {
    const stage = new BatchStage(gateway, annsKey);
    const { id } = await stage.submitted([chatLine('a', 'hi')]);
    const { output_file_id, input_file_id } = await stage.settled(id);
    const status = async (email: string, fileId: string | null) =>
      (await read(email, `/api/console/files/${fileId}/content`)).status;
    expect(await status('admin@example.com', output_file_id)).toBe(200);
    expect(await status('admin@example.com', input_file_id)).toBe(404);
    expect(await status('bob@example.com', output_file_id)).toBe(404);
    expect(await status('stranger@example.com', output_file_id)).toBe(404);
    // Administrators read; a shared key's results belong to the key.
    const shared = new BatchStage(gateway);
    const batch = await shared.settled((await shared.submitted([chatLine('a', 'hi')])).id);
    expect(await status('admin@example.com', batch.output_file_id)).toBe(404);
  });
});
