/**
 * Signing in a command line by confirming a code in a browser (as RFC 8628 does it): the command line waits with a secret,
 * and the person who is signed in to the console compares the code and sees which machine asks. A code is short, so wrong
 * ones are counted; the secret is long, and never leaves the command line except to the server.
 */
import type { Database } from '../database/database.ts';
import { sha256 } from '../kernel/digest.ts';
import { MINUTE_MS } from '../kernel/durations.ts';
import { randomLetters } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import type { AttemptLimits } from './attempt-rules.ts';
import { claimedAttempt, countedAttempt, type Visitor } from './attempts.ts';
import { insertAuditLine } from './audit.store.ts';
import {
  confirmDeviceRequest,
  type DeviceRequest,
  findOpenDeviceRequest,
  insertDeviceRequest,
  isDeviceRequestOpen,
  rejectDeviceRequest,
  sweepDeviceRequests,
  takeConfirmed,
} from './device-sign-ins.store.ts';
import { type NewSession, openSession, type SignedIn } from './open-session.ts';
import { checkSameSite } from './session-request.ts';
import type { AttemptSubjects } from './sign-in-attempts.store.ts';
import { checkDeviceAllowed, type SignInSettings } from './sign-in-ways.ts';

export const DEVICE_MINUTES = 10;
/** How long a command line waits before it asks again. */
export const DEVICE_POLL_SECONDS = 2;
/** Without vowels, so that no code is a word; 20 letters, of which 8 are 2.6 × 10¹⁰ codes. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const CODE_LETTERS = 8;
const STARTS: AttemptLimits = { perMinute: 10, perHour: 60 };
const WRONG_CODES: AttemptLimits = { perMinute: 5, perHour: 20 };

export interface DeviceTools {
  readonly db: Database;
  readonly clock: Clock;
  readonly ways: SignInSettings;
  readonly publicOrigin: string | null;
}

export class DeviceSignIns {
  readonly #tools: DeviceTools;

  constructor(tools: DeviceTools) {
    this.#tools = tools;
  }

  /** The code that the person compares, as it is shown: `BCDF-GHJK`. */
  async start(
    { machine, challenge }: { machine: string; challenge: string },
    visitor: Visitor,
  ): Promise<{ code: string }> {
    const { db, clock, ways, publicOrigin } = this.#tools;
    checkSameSite(visitor.headers, publicOrigin);
    checkDeviceAllowed(ways);
    return await whenAvailable(async () => {
      await claimedAttempt(this.#tools, new Map([[`device:${visitor.address}`, STARTS]]));
      const createdAt = clock.now();
      await sweepDeviceRequests(db, createdAt);
      const code = randomLetters(LETTERS, CODE_LETTERS);
      const expiresAt = createdAt + DEVICE_MINUTES * MINUTE_MS;
      const request = { machine, address: visitor.address, createdAt, expiresAt };
      const isNew = await insertDeviceRequest(db, { ...request, challenge, codeDigest: sha256(code) });
      if (isNew) return { code: `${code.slice(0, 4)}-${code.slice(4)}` };
      throw new Problem('invalid_parameter', {
        detail: 'challenge was used before. Send the digest of a new secret.',
        param: 'challenge',
      });
    });
  }

  /** What the person sees before they decide. */
  async look(
    code: string,
    session: SignedIn,
    visitor: Visitor,
  ): Promise<DeviceRequest & { sameAddress: boolean }> {
    const request = await this.#open(code, session, visitor);
    return { ...request, sameAddress: request.address === visitor.address };
  }

  /** The command line signs in as the person, at most until the session ends with which they confirm it. */
  async confirm(code: string, session: SignedIn, visitor: Visitor): Promise<void> {
    const { db, clock } = this.#tools;
    const request = await this.#open(code, session, visitor);
    const { person, openedBy, expiresAt: sessionExpiresAt } = session;
    await whenAvailable(() =>
      db.transaction(async (tx) => {
        const now = clock.now();
        const confirmation = { personId: person.id, openedBy, sessionExpiresAt };
        if (!(await confirmDeviceRequest(tx, digestOfCode(code), confirmation, now))) throw wrongCode();
        await insertAuditLine(tx, {
          at: now,
          actor: person.email,
          action: 'people.device',
          spaceId: null,
          subject: person.email,
          before: null,
          after: { machine: request.machine, address: request.address },
        });
      }),
    );
  }

  async reject(code: string, session: SignedIn, visitor: Visitor): Promise<void> {
    await this.#open(code, session, visitor);
    await whenAvailable(() => rejectDeviceRequest(this.#tools.db, digestOfCode(code)));
  }

  /** The session of the command line, once; null if nobody has decided yet. */
  async finish(verifier: string, visitor: Visitor): Promise<NewSession | null> {
    const { db, clock, publicOrigin } = this.#tools;
    checkSameSite(visitor.headers, publicOrigin);
    const challenge = sha256(verifier);
    const found = await whenAvailable(() =>
      db.transaction(async (tx) => {
        const now = clock.now();
        const confirmed = await takeConfirmed(tx, challenge, now);
        if (confirmed === null) return (await isDeviceRequestOpen(tx, challenge, now)) ? 'open' : null;
        const { personId, openedBy, sessionExpiresAt: expiresBy } = confirmed;
        const userAgent = visitor.headers['user-agent'];
        return await openSession(tx, { personId, openedBy, userAgent, now, expiresBy });
      }),
    );
    if (found !== null) return found === 'open' ? null : found;
    throw new Problem('invalid_credentials', {
      detail: 'The sign-in was rejected, was already used or has expired. Run "tollgate login" again.',
    });
  }

  /** A wrong code counts against the person and their network address. */
  async #open(code: string, { person }: SignedIn, { address }: Visitor): Promise<DeviceRequest> {
    const { db, clock } = this.#tools;
    const subjects: AttemptSubjects = new Map([
      [`device-code:${address}`, WRONG_CODES],
      [`device-code:${person.id}`, WRONG_CODES],
    ]);
    const found = await whenAvailable(() =>
      countedAttempt({ db, clock }, subjects, () =>
        findOpenDeviceRequest(db, digestOfCode(code), clock.now()),
      ),
    );
    if (found === null) throw wrongCode();
    return found;
  }
}

function wrongCode(): Problem {
  return new Problem('invalid_parameter', {
    detail:
      'No command line waits with this code: it is wrong, was already used or has expired. Compare it with the terminal, or run "tollgate login" again.',
    param: 'user_code',
  });
}

/** People type it in any case, with and without the hyphen. */
function digestOfCode(code: string): string {
  return sha256(code.toUpperCase().replaceAll(/[\s-]/g, ''));
}
