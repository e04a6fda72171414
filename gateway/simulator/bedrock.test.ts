import { createHash, createHmac } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../src/kernel/time.ts';
import { startSimulator } from './simulator.ts';
import { type Asking, type Heard, post, type Wire } from './testing/call-simulator.ts';

const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const simulator = await startSimulator({ apiKey: SECRET });
afterAll(() => simulator.stop());

const said = (text: string): Wire => ({ messages: [{ role: 'user', content: [{ text }] }] });
const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

interface Signing {
  readonly secret?: string;
  readonly service?: string;
  readonly atMs?: number;
  readonly names?: string;
  readonly path?: string;
  readonly body?: Wire;
}

/** Signs by the letter of the rules, for the one path that is called. */
function signed(body: Wire, wrong: Signing = {}): Record<string, string> {
  const { host } = new URL(simulator.origin);
  const { service = 'bedrock', names = 'host;x-amz-date', path = '/model/sim-chat/converse' } = wrong;
  const at = wrong.atMs ?? systemClock.now();
  const date = `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
  const scope = `${date.slice(0, 8)}/us-east-1/${service}/aws4_request`;
  const known: Record<string, string> = { host, 'x-amz-date': date };
  const lines = names.split(';').map((name) => `${name}:${known[name]}\n`);
  const request = `POST\n${path}\n\n${lines.join('')}\n${names}\n${sha256(JSON.stringify(wrong.body ?? body))}`;
  const key = scope.split('/').reduce<Buffer | string>(hmac, `AWS4${wrong.secret ?? SECRET}`);
  const signature = hmac(key, `AWS4-HMAC-SHA256\n${date}\n${scope}\n${sha256(request)}`).toString('hex');
  return {
    'x-amz-date': date,
    authorization: `AWS4-HMAC-SHA256 Credential=AKID/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

function converse(body: Wire, asking: Asking = { headers: signed(body) }): Promise<Heard> {
  return post(`${simulator.origin}/model/sim-chat/converse`, body, asking);
}

describe('a signature', () => {
  test('that is right is taken, and so is the key as a bearer', async () => {
    const body = said('Reply with exactly: hi');
    for (const asking of [{ headers: signed(body) }, { key: SECRET }]) {
      const heard = await converse(body, asking);
      expect(heard.status).toBe(200);
      expect(JSON.parse(heard.text)).toMatchObject({
        output: { message: { content: [{ text: 'hi' }], role: 'assistant' } },
        stopReason: 'end_turn',
      });
    }
  });

  test.each<[string, Signing]>([
    ['by another secret', { secret: 'another' }],
    ['for another service', { service: 'service' }],
    ['of another path', { path: '/model/sim-chat-classic/converse' }],
    ['of another body', { body: said('Something else') }],
    ['of an hour ago', { atMs: systemClock.now() - 3_600_000 }],
    ['that leaves the host out', { names: 'x-amz-date' }],
  ])('%s is refused', async (_, wrong) => {
    const body = said('hi');
    const heard = await converse(body, { headers: signed(body, wrong) });
    expect([heard.status, heard.headers['x-amzn-errortype']]).toEqual([403, 'InvalidSignatureException']);
  });

  test('that is missing, or no signature, is refused', async () => {
    expect((await converse(said('hi'), {})).headers['x-amzn-errortype']).toBe(
      'MissingAuthenticationTokenException',
    );
    const nonsense = { headers: { authorization: 'AWS4-HMAC-SHA256 Credential=AKID' } };
    expect((await converse(said('hi'), nonsense)).status).toBe(403);
  });
});

test.each<[string, Wire]>([
  ['must start with a user message', { messages: [{ role: 'assistant', content: [{ text: 'x' }] }] }],
  ['must alternate', { messages: [...(said('a').messages as Wire[]), ...(said('b').messages as Wire[])] }],
  ['is blank', said(' ')],
  ['is empty', { messages: [{ role: 'user', content: [] }] }],
  ['extraneous key [top_k]', { ...said('x'), top_k: 4 }],
  ['extraneous key [topK]', { ...said('x'), inferenceConfig: { topK: 4 } }],
  ['toolConfig field must be defined', { messages: [{ role: 'user', content: [{ toolResult: {} }] }] }],
  ['maxTokens', { ...said('x'), inferenceConfig: { maxTokens: 0 } }],
])('what Bedrock would refuse is refused: %s', async (message, body) => {
  const heard = await converse(body);
  expect([heard.status, heard.headers['x-amzn-errortype']]).toEqual([400, 'ValidationException']);
  expect((JSON.parse(heard.text) as { message: string }).message).toContain(message);
});
