/** Sends an e-mail through the mail server of the installation. */

import { onAbort } from '../kernel/on-abort.ts';
import type { Secret } from '../kernel/secret.ts';
import type { Clock } from '../kernel/time.ts';
import type { AlertMail } from './write-alert.ts';

export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** `starttls`: the connection must become encrypted. `tls`: it begins encrypted. */
  readonly tls: 'starttls' | 'tls' | 'none';
  readonly user: string | null;
  readonly password: Secret | null;
  readonly from: string;
}

interface Limits {
  readonly clock: Clock;
  /** In total. */
  readonly totalMs: number;
  readonly signal: AbortSignal;
}

const REASON_CHARACTERS_MAX = 200;

/** `problem`: why it failed, in words; null if the mail server took it. */
export async function sendMail(
  mail: AlertMail & { readonly to: string; readonly id: string },
  smtp: SmtpSettings,
  { clock, totalMs, signal }: Limits,
): Promise<{ status: null; problem: string | null }> {
  // Loaded on first use: most gateways send no e-mail.
  const { createTransport } = await import('nodemailer');
  const { host, port, tls, user, password, from } = smtp;
  const transport = createTransport({
    host,
    port,
    secure: tls === 'tls',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    ...(user !== null && { auth: { user, pass: password?.reveal() ?? '' } }),
    connectionTimeout: totalMs,
    greetingTimeout: totalMs,
    socketTimeout: totalMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const late = new AbortController();
  const cancel = clock.after(totalMs, () => late.abort());
  let stopListening = (): void => undefined;
  const cut = new Promise<never>((_resolve, reject) => {
    stopListening = onAbort([late.signal, signal], () => {
      transport.close();
      reject(new Error('it took too long'));
    });
  });
  try {
    // The same id with every attempt, so that mail programs recognise repeats.
    const messageId = `<${mail.id}@${from.slice(from.lastIndexOf('@') + 1).replace(/>.*$/, '')}>`;
    const message = { from, to: mail.to, subject: mail.subject, text: mail.text, messageId };
    const sending = transport.sendMail({ ...message, disableFileAccess: true, disableUrlAccess: true });
    sending.catch(() => undefined);
    await Promise.race([sending, cut]);
    return { status: null, problem: null };
  } catch (error) {
    return { status: null, problem: reasonOf(error, password) };
  } finally {
    cancel();
    stopListening();
    transport.close();
  }
}

/** What the mail server said, on one line. */
function reasonOf(error: unknown, password: Secret | null): string {
  const said = String((error as Error)?.message ?? error).replaceAll(/\s+/g, ' ');
  const masked = password === null || password.empty ? said : said.replaceAll(password.reveal(), '[secret]');
  return `The mail server did not take it: ${masked.slice(0, REASON_CHARACTERS_MAX)}`;
}
