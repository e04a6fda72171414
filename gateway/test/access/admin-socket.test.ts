/** The local admin socket: what it answers to calls that no typed caller would send. */
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { socketPath } from '../../src/app/ask-server.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

function send(body: string): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { socketPath: socketPath(gateway.folder), method: 'POST', path: '/' },
      (reply) => {
        let text = '';
        reply.setEncoding('utf8').on('data', (piece) => {
          text += piece;
        });
        reply.on('end', () => resolve({ status: reply.statusCode, text }));
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

test.each<[string, unknown, string]>([
  ['null', null, 'A call must be a JSON object with a name.'],
  ['no name', { input: {} }, 'A call must be a JSON object with a name.'],
  ['an unknown operation', { name: 'keys.eat', input: {} }, 'has no operation keys.eat.'],
  ['a name from the prototype', { name: 'constructor', input: {} }, 'has no operation constructor.'],
  [
    'no input',
    { name: 'keys.revoke' },
    'name is required; it must be the name of a key: 1 to 120 characters on one line.',
  ],
  [
    'an input that is a list',
    { name: 'keys.revoke', input: [] },
    'The input of keys.revoke must be an object.',
  ],
  [
    'a misspelt field',
    { name: 'keys.limit', input: { name: 'test', month_limt: '5' } },
    '"month_limt" is not a field of keys.limit. Use space, name, month_limit.',
  ],
  [
    'a number in place of money',
    { name: 'keys.limit', input: { name: 'test', month_limit: 5 } },
    'month_limit 5 is not valid: it must be a decimal number of units as text, such as "12.5", or null for no limit.',
  ],
])('%s is rejected with a sentence', async (_, call, words) => {
  const { status, text } = await send(JSON.stringify(call));
  const reply = JSON.parse(text) as { error: string; expected: boolean };
  expect([status, reply.expected, reply.error]).toEqual([400, true, expect.stringContaining(words)]);
});

test('a rejected password is not repeated in the error', async () => {
  const password = 'p'.repeat(1_500);
  const { text } = await send(
    JSON.stringify({ name: 'people.password', input: { email: 'kim@example.com', password } }),
  );
  expect(text).toContain('password is not valid: it must be 10 to 200 characters.');
  expect(text).not.toContain('ppp');
});
