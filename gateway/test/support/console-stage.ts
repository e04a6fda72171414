/** What tests of the console begin with: an operator and a member of acme, and calls whose costs have many digits. */
import { testConfig } from './config.ts';
import type { TestGateway } from './gateway.ts';

export const ANN = 'ann@example.com';
export const OPS = 'ops@example.com';

/** Costs so small that a number would write them with an exponent. */
export const tinyPrices = testConfig({
  prices: { 'sim-chat-classic': { input: 0.000001, output: 0.123457 } },
});

/** OPS is an operator, ANN a member of acme. */
export async function addPeople(gateway: TestGateway): Promise<void> {
  await gateway.admin('operators.add', { email: OPS, password: 'correct horse battery' });
  await gateway.admin('members.add', { space: 'acme', email: ANN, role: 'member' });
}

/** Sends a call, waits for its end and returns the id of its request. */
export async function callModel(
  gateway: TestGateway,
  { model = 'sim-chat-classic', content = 'Say five words', key = gateway.key } = {},
): Promise<string> {
  const body = { model, messages: [{ role: 'user', content }] };
  const reply = await gateway.chat(body, { authorization: `Bearer ${key}` });
  await reply.text();
  return reply.headers.get('x-request-id') ?? '';
}
