import { expect } from 'vitest';
import type { FaultName } from '../faults.ts';
import { framesIn, type Heard } from './call-simulator.ts';
import { play, type Symptom } from './fault-stage.ts';

async function expectRefusal(status: number, type: string): Promise<Heard> {
  for (const stream of [false, true]) {
    const heard = await play(`error-${status}` as FaultName, stream);
    expect(heard.status).toBe(status);
    expect(JSON.parse(heard.text)).toMatchObject({ error: { message: expect.any(String), type } });
  }
  return play(`error-${status}` as FaultName, false);
}

export const refuseSymptoms = {
  'error-400': ['answers 400', async () => void (await expectRefusal(400, 'invalid_request_error'))],
  'error-401': ['answers 401', async () => void (await expectRefusal(401, 'invalid_request_error'))],
  'error-403': ['answers 403', async () => void (await expectRefusal(403, 'request_forbidden'))],
  'error-404': ['answers 404', async () => void (await expectRefusal(404, 'invalid_request_error'))],
  'error-408': ['answers 408', async () => void (await expectRefusal(408, 'timeout'))],
  'error-409': ['answers 409', async () => void (await expectRefusal(409, 'conflict'))],
  'error-413': ['answers 413', async () => void (await expectRefusal(413, 'invalid_request_error'))],
  'error-422': ['answers 422', async () => void (await expectRefusal(422, 'invalid_request_error'))],
  'error-429': [
    'answers 429 and when to come back',
    async () => expect((await expectRefusal(429, 'tokens')).headers['retry-after']).toBe('1'),
  ],
  'error-500': ['answers 500', async () => void (await expectRefusal(500, 'server_error'))],
  'error-502': [
    'answers 502 with the page of a proxy',
    async () =>
      expect(await play('error-502', true)).toMatchObject({
        status: 502,
        headers: { 'content-type': 'text/html' },
      }),
  ],
  'error-503': ['answers 503', async () => void (await expectRefusal(503, 'service_unavailable_error'))],
  'error-529': ['answers 529', async () => void (await expectRefusal(529, 'overloaded_error'))],
  'error-once': [
    'answers 500 to the first call of a prompt and well to the next',
    async () => {
      const statuses = [];
      for (const _ of [1, 2, 3]) statuses.push((await play('error-once', false)).status);
      expect(statuses).toEqual([500, 200, 200]);
    },
  ],
  'error-body-200': [
    'answers 200 with an error in the body',
    async () => {
      const heard = await play('error-body-200', true);
      expect(heard.status).toBe(200);
      expect(JSON.parse(heard.text)).toMatchObject({ error: { type: 'server_error' } });
    },
  ],
  'error-in-stream': [
    'breaks the content off with an error frame',
    async () => {
      const { text } = await play('error-in-stream', true);
      expect(JSON.parse(framesIn(text).at(-1) ?? '')).toMatchObject({ error: { type: 'server_error' } });
      expect(framesIn(text).length).toBeGreaterThan(2);
      expect(text).not.toContain('[DONE]');
    },
  ],
  'secret-leak': [
    'answers 400 with the key, a host and an organisation in the message',
    async () => {
      const heard = await play('secret-leak', false, { key: 'sk-very-secret' });
      expect(heard.status).toBe(400);
      expect(heard.text).toMatch(/sk-very-secret.*org-\w+.*api\.openai\.com/);
    },
  ],
} as const satisfies Record<string, Symptom>;
