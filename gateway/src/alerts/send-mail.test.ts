import { createServer } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, expect, test } from 'vitest';
import { Secret } from '../kernel/secret.ts';
import { systemClock } from '../kernel/time.ts';
import { type SmtpSettings, sendMail } from './send-mail.ts';

const stops: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const PASSWORD = 'the password';
const mails: string[] = [];

async function startSmtp(options: SMTPServerOptions): Promise<number> {
  mails.length = 0;
  const server = new SMTPServer({
    ...options,
    onAuth: ({ password }, _session, done) =>
      password === PASSWORD ? done(null, { user: 'a' }) : done(new Error(`wrong: ${password}`)),
    onData(stream, _session, done) {
      stream.resume();
      stream.on('end', () => {
        mails.push('one');
        done();
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => new Promise<void>((resolve) => server.close(resolve)));
  return (server.server.address() as { port: number }).port;
}

function send(smtp: Partial<SmtpSettings> & { port: number }, totalMs = 30_000) {
  const mail = { to: 'kim@example.com', id: 'dlv_1', subject: '제목', text: 'text' };
  const { signal } = new AbortController();
  const settings: SmtpSettings = {
    ...{ host: '127.0.0.1', tls: 'none', user: null, password: null, from: 'Tollgate <t@example.com>' },
    ...smtp,
  };
  return sendMail(mail, settings, { clock: systemClock, totalMs, signal });
}

test('a mail is taken', async () => {
  const port = await startSmtp({ authOptional: true, disabledCommands: ['STARTTLS'] });
  expect(await send({ port })).toEqual({ status: null, problem: null });
  expect(mails).toHaveLength(1);
});

test('nothing is sent over a connection that does not become encrypted', async () => {
  const port = await startSmtp({ authOptional: true, disabledCommands: ['STARTTLS'] });
  const { problem } = await send({ port, tls: 'starttls' });
  expect(problem).toMatch(/^The mail server did not take it: /);
  expect(mails).toEqual([]);
});

test.each(['starttls', 'tls'] as const)(
  '%s to a server with a certificate of its own is refused',
  async (tls) => {
    const port = await startSmtp({ authOptional: true, secure: tls === 'tls' });
    expect((await send({ port, tls })).problem).toMatch(/certificate/);
    expect(mails).toEqual([]);
  },
);

test('a wrong password is reported without it', async () => {
  const port = await startSmtp({ disabledCommands: ['STARTTLS'], allowInsecureAuth: true });
  const { problem } = await send({ port, user: 'a', password: new Secret('a secret word') });
  expect(problem).toMatch(/^The mail server did not take it: /);
  expect(problem).not.toContain('a secret word');
});

test('a server that is silent is given up', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  stops.push(async () => void silent.close());
  const { port } = silent.address() as { port: number };
  expect((await send({ port }, 50)).problem).toMatch(/^The mail server did not take it: /);
});
