/**
 * The job that sends one event to one target. An attempt is recorded when it is over, so a process that dies repeats it:
 * receivers may get an event more than once, always with the same id.
 */
import type { Database } from '../database/database.ts';
import type { JobResult } from '../jobs/job-runner.ts';
import { endJob, type LeasedJob, withLease } from '../jobs/jobs.store.ts';
import { SECOND_MS } from '../kernel/durations.ts';
import type { Secret } from '../kernel/secret.ts';
import { type Clock, unixSecondsOf } from '../kernel/time.ts';
import type { UnitValue } from '../kernel/unit-value.ts';
import type { FetchTools } from '../net/fetch-public.ts';
import { postPublic } from '../net/post-public.ts';
import { type Delivery, readDelivery, recordAttempt } from './deliveries.store.ts';
import { waitAfter } from './retry-times.ts';
import { type SmtpSettings, sendMail } from './send-mail.ts';
import { signedHeaders } from './webhook-signature.ts';
import { alertMail, rateOf, slackBody, webhookBody } from './write-alert.ts';

/** How an attempt ended. */
export type DeliveryResult = 'delivered' | 'retried' | 'given_up';

export interface DeliverTools {
  readonly db: Database;
  readonly clock: Clock;
  readonly network: Pick<FetchTools, 'guard' | 'proxies'>;
  /** Null: e-mail is not configured. */
  readonly smtp: SmtpSettings | null;
  readonly publicUrl: string | null;
  /** What the configuration says units are worth now; null: nothing. */
  readonly unitValue: () => UnitValue | null;
  readonly onAttempt: (type: Delivery['type'], result: DeliveryResult) => void;
}

const ATTEMPT_MS = 10 * SECOND_MS;
/** Attempts of one space at a time, so that its receivers cannot keep those of others waiting. */
const SPACE_ATTEMPTS_MAX = 2;
const BUSY_MS = SECOND_MS;

interface Sent {
  readonly status: number | null;
  /** Null: it arrived. */
  readonly problem: string | null;
}

export class AlertSender {
  readonly #tools: DeliverTools;
  readonly #running = new Map<string, number>();

  constructor(tools: DeliverTools) {
    this.#tools = tools;
  }

  async run(job: LeasedJob, signal: AbortSignal): Promise<JobResult> {
    const { db, clock } = this.#tools;
    const delivery = await readDelivery(db, job.subject);
    if (delivery === null || delivery.state !== 'pending') {
      await withLease(db, job, (tx) => endJob(tx, job));
      return 'ended';
    }
    const space = delivery.spaceId ?? '';
    const running = this.#running.get(space) ?? 0;
    if (running >= SPACE_ATTEMPTS_MAX) return { again: clock.now() + BUSY_MS };
    this.#running.set(space, running + 1);
    try {
      const sent = await this.#send(delivery, signal);
      // What was cut because this process stops or lost the job does not count.
      if (sent.problem !== null && signal.aborted) return { again: clock.now() };
      return await this.#record(job, delivery, sent);
    } finally {
      const left = (this.#running.get(space) ?? 1) - 1;
      if (left === 0) this.#running.delete(space);
      else this.#running.set(space, left);
    }
  }

  async #record(job: LeasedJob, delivery: Delivery, sent: Sent): Promise<JobResult> {
    const { db, clock, onAttempt } = this.#tools;
    const at = clock.now();
    const isOver = sent.problem === null || delivery.address === null;
    const waitMs = isOver ? null : waitAfter(delivery.attempts + 1);
    const nextAt = waitMs === null ? null : at + waitMs;
    const state = sent.problem === null ? 'delivered' : nextAt === null ? 'failed' : 'pending';
    await withLease(db, job, async (tx) => {
      if (nextAt === null) await endJob(tx, job);
      await recordAttempt(tx, delivery.id, { ...sent, state, at, nextAt });
    });
    const results = { delivered: 'delivered', pending: 'retried', failed: 'given_up' } as const;
    onAttempt(delivery.type, results[state]);
    return nextAt === null ? 'ended' : { again: nextAt };
  }

  async #send(delivery: Delivery, signal: AbortSignal): Promise<Sent> {
    const { address, event, type, secret } = delivery;
    if (address === null) return { status: null, problem: 'The target was removed.' };
    if (type === 'email') return await this.#mail(delivery, address, signal);
    const rate = rateOf(event, this.#tools.unitValue());
    const body = type === 'slack' ? slackBody(event, rate) : webhookBody(event, rate);
    const unixSeconds = unixSecondsOf(this.#tools.clock.now());
    const signed = secret === null ? {} : signedHeaders({ id: event.id, unixSeconds, body }, secret);
    const result = await postPublic(
      {
        address: address.reveal(),
        headers: { 'content-type': 'application/json', 'user-agent': 'tollgate', ...signed },
        body: Buffer.from(body),
        totalMs: ATTEMPT_MS,
        signal,
      },
      { ...this.#tools.network, clock: this.#tools.clock },
    );
    if (result.status === null) return result;
    const { status } = result;
    if (status >= 200 && status < 300) return { status, problem: null };
    const why = status >= 300 && status < 400 ? ' Redirects are not followed.' : '';
    return { status, problem: `The receiver answered with status ${status}.${why}` };
  }

  async #mail(delivery: Delivery, address: Secret, signal: AbortSignal): Promise<Sent> {
    const { smtp, publicUrl, clock, unitValue } = this.#tools;
    if (smtp === null)
      return { status: null, problem: 'E-mail is not configured: an operator sets smtp in tollgate.yaml.' };
    const { id, event } = delivery;
    const written = alertMail(event, { publicUrl, rate: rateOf(event, unitValue()) });
    const mail = { to: address.reveal(), id, ...written };
    return await sendMail(mail, smtp, { clock, totalMs: ATTEMPT_MS, signal });
  }
}
