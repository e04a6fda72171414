/** Receivers that lie, redirect or are in a private network, e-mail, and what operators get. */
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { AlertReceiver, hurryAlerts } from '../support/alert-receiver.ts';
import { chatLine } from '../support/batches-stage.ts';
import { changeConfig, testConfig, withBatches } from '../support/config.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { BACKGROUND_PATIENCE } from '../support/patience.ts';

const acme = { space: 'acme' };
const PASSWORD = 'smtp password of the test';

interface Mail {
  readonly to: readonly string[];
  readonly text: string;
}

describe.each(oneEngine('postgres', 'rejected requests'))('receivers of alerts on %s', (engine) => {
  let gateway: TestGateway;
  let receiver: AlertReceiver;
  const mails: Mail[] = [];
  const smtp = new SMTPServer({
    secure: false,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'tollgate' && password === PASSWORD
        ? done(null, { user: username })
        : done(new Error('no')),
    onData(stream, session, done) {
      let text = '';
      stream.setEncoding('utf8');
      stream.on('data', (piece: string) => {
        text += piece;
      });
      stream.on('end', () => {
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text });
        done();
      });
    },
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
    const { port } = smtp.server.address() as { port: number };
    const config = changeConfig(withBatches(testConfig()), {
      providers: {
        nowhere: { dialect: 'openai', base_url: 'http://127.0.0.1:1', api_key: 'x', simulated: true },
      },
      models: {
        unpriced: { batch: true },
        away: { capabilities: ['streaming'], routes: [{ provider: 'nowhere', model: 'away' }] },
      },
      prices: { models: { away: { input: 1, output: 2 } } },
      alerts: { allow_hosts: ['127.0.0.1'] },
      smtp: {
        ...{ host: '127.0.0.1', port, tls: 'none', user: 'tollgate', password: PASSWORD },
        from: 'Tollgate <tollgate@example.com>',
      },
    });
    [gateway, receiver] = await Promise.all([startGateway({ engine, config }), AlertReceiver.start()]);
  });
  afterAll(async () => {
    await gateway.stop();
    await receiver.stop();
    await new Promise<void>((resolve) => smtp.close(resolve));
    expect(gateway.logged.filter((line) => line.includes(PASSWORD))).toEqual([]);
  });

  const attempted = async (id: string, is: (one: Delivery) => boolean): Promise<Delivery> =>
    await vi.waitFor(async () => {
      const { data } = await gateway.admin('alerts.deliveries', acme);
      const found = data.find((one) => one.id === id);
      if (found === undefined || !is(found)) throw new Error(`not yet: ${JSON.stringify(found)}`);
      return found;
    }, BACKGROUND_PATIENCE);
  type Delivery = Awaited<ReturnType<typeof gateway.admin<'alerts.deliveries'>>>['data'][number];
  const testOf = async (name: string, type: 'webhook' | 'slack' | 'email', address: string) => {
    const { id } = await gateway.admin('alerts.add', { ...acme, name, type, address });
    return (await gateway.admin('alerts.test', { ...acme, target: id })).id;
  };
  const tried = ({ attempts }: Delivery): boolean => attempts > 0;

  test('a redirect is not followed, and an endless body is not read', async () => {
    const inside = await AlertReceiver.start();
    receiver.answers.push((response) => response.writeHead(307, { location: inside.url }).end());
    const redirected = await testOf('redirects', 'webhook', `${receiver.url}/redirect`);
    expect(await attempted(redirected, tried)).toMatchObject({
      ...{ state: 'pending', status: 307 },
      problem: 'The receiver answered with status 307. Redirects are not followed.',
    });
    expect(inside.received).toEqual([]);
    await inside.stop();
    receiver.answers.push((response) => {
      const write = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on('drain', write);
      write();
    });
    const endless = await testOf('endless', 'webhook', `${receiver.url}/endless`);
    expect(await attempted(endless, tried)).toMatchObject({ state: 'delivered', status: 200 });
  });

  test.each(['https://localhost:8443/', 'https://[::1]/', 'https://169.254.169.254/latest/meta-data'])(
    '%s gets nothing, and the log says so',
    async (address) => {
      const id = await testOf(`to ${address}`, 'webhook', address);
      const delivery = await attempted(id, tried);
      expect(delivery).toMatchObject({ state: 'pending', status: null });
      expect(delivery.problem).toContain('not on the public internet');
    },
  );

  test.each([
    ['webhook', 'ftp://hooks.example.com'],
    ['slack', 'https://user:secret@hooks.example.com'],
    ['webhook', 'kim@example.com'],
    ['email', 'kim@example.com, lee@example.com'],
    ['email', 'https://hooks.example.com'],
  ] as const)('%s to %s is rejected', async (type, address) => {
    await expect(gateway.admin('alerts.add', { ...acme, name: 'bad', type, address })).rejects.toThrow(
      /address/,
    );
  });

  test('Slack gets a text, without a signature', async () => {
    const before = receiver.received.length;
    const id = await testOf('slack', 'slack', `${receiver.url}/services/T0/B0/x`);
    await attempted(id, ({ state }) => state === 'delivered');
    const [received] = receiver.received.slice(before).filter(({ path }) => path.startsWith('/services'));
    expect(received?.headers['webhook-signature']).toBeUndefined();
    expect(JSON.parse(received?.body ?? '')).toEqual({ text: 'This is a test of the alerts of acme.' });
  });

  test('an e-mail arrives with the same id at every attempt, and a wrong answer is in the log', async () => {
    const id = await testOf('kim', 'email', 'kim@example.com');
    await attempted(id, ({ state }) => state === 'delivered');
    expect(mails).toHaveLength(1);
    expect(mails[0]?.to).toEqual(['kim@example.com']);
    expect(mails[0]?.text).toContain('Subject: [Tollgate] Test of alerts (acme)');
    expect(mails[0]?.text).toContain(`Message-ID: <${id}@example.com>`);
    await gateway.admin('alerts.redeliver', { ...acme, delivery: id });
    await vi.waitFor(() => expect(mails).toHaveLength(2), BACKGROUND_PATIENCE);
    expect(mails[1]?.text).toContain(`Message-ID: <${id}@example.com>`);
  });

  test('operators get a settlement on hold of every space, once', async () => {
    const target = { name: 'ops', type: 'webhook', address: `${receiver.url}/ops` } as const;
    const { secret } = await gateway.admin('operatorAlerts.add', target);
    await gateway.admin('spaces.unpriced', { ...acme, allowed: true });
    const form = new FormData();
    form.set('purpose', 'batch');
    const line = chatLine('a', 'Hello', { model: 'unpriced' });
    form.set('file', new Blob([line]), 'lines.jsonl');
    const headers = { authorization: `Bearer ${gateway.key}` };
    const file = await fetch(`${gateway.url}/v1/files`, { method: 'POST', headers, body: form });
    const { id: input_file_id } = (await file.json()) as { id: string };
    const request = { input_file_id, endpoint: '/v1/chat/completions', completion_window: '24h' };
    const batch = (await (await gateway.post('/v1/batches', request)).json()) as { id: string };
    await vi.waitFor(async () => {
      await hurryAlerts(gateway);
      const ofOps = receiver.received.filter(({ path }) => path === '/ops');
      expect(ofOps.map(({ body }) => JSON.parse(body).type)).toContain('settlement.quarantined');
    }, BACKGROUND_PATIENCE);
    const messages = receiver.received
      .filter(({ path }) => path === '/ops')
      .map(({ body }) => JSON.parse(body))
      .filter(({ type }) => type === 'settlement.quarantined');
    expect(messages).toHaveLength(1);
    expect(messages[0].data).toMatchObject({ space: 'acme', batch_id: batch.id });
    expect(secret).toMatch(/^whsec_/);
    const { data } = await gateway.admin('operatorAlerts.deliveries');
    expect(data.map(({ event, target: to }) => [event, to])).toContainEqual([
      'settlement.quarantined',
      'ops',
    ]);
  });

  test('operators get an event for a route that is down, once', async () => {
    for (let call = 0; call < 8; call++) {
      const reply = await gateway.chat({
        model: 'away',
        messages: [{ role: 'user', content: 'hello' }],
      });
      await reply.arrayBuffer();
    }
    const downs = () =>
      receiver.received
        .filter(({ path }) => path === '/ops')
        .map(({ body }) => JSON.parse(body))
        .filter(({ type }) => type === 'route.down');
    await vi.waitFor(() => expect(downs()).toHaveLength(1), BACKGROUND_PATIENCE);
    expect(downs()[0].data).toMatchObject({ model: 'away', provider: 'nowhere' });
  });
});
