/** Reports the calling key to its holder: what it has spent, and its limits. */
import { endOfKey } from '../access/key-standing.ts';
import type { Principal } from '../access/principal.ts';
import type { KeyObject } from '../contract/key.ts';
import type { Database } from '../database/database.ts';
import { Problem } from '../kernel/problem.ts';
import { type Clock, kstOf, monthOf, printMonthEnd } from '../kernel/time.ts';
import { printUnits, type Units } from '../kernel/units.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import { readKeyReserved } from '../metering/reserved.store.ts';
import { readKeySpending } from './key-report.store.ts';

export interface KeyReportTools {
  readonly db: Database;
  readonly clock: Clock;
}

export async function keyReport(principal: Principal, { db, clock }: KeyReportTools): Promise<KeyObject> {
  const month = monthOf(clock.now());
  const spending = await whenAvailable(() => readKeySpending(db, principal, month), {
    detail: 'The spending of this key cannot be read right now. Try again in a few seconds.',
  });
  if (spending === null) {
    throw new Problem('invalid_credentials', { detail: 'The key was revoked. Create a new one.' });
  }
  const { name, hint, spent, member } = spending;
  const { keyId: id, spaceId, memberId } = principal;
  const reserved = await whenAvailable(() => readKeyReserved(db, { keyId: id, spaceId, memberId, month }));
  const { keyId, keyKind, models, rules, memberExpiresAt, spaceName } = principal;
  return {
    object: 'key',
    id: keyId,
    name,
    kind: keyKind === 'personal' ? 'personal' : 'shared',
    hint,
    month,
    spent: printUnits(spent),
    reserved: printUnits(reserved.key),
    month_limit: unitsOrNull(rules.key.month_limit),
    resets_at: printMonthEnd(month),
    member: member && {
      email: member.email,
      spent: printUnits(member.spent),
      reserved: printUnits(reserved.member),
      month_limit: unitsOrNull(rules.member.month_limit),
      ...perMinute(principal.memberRate),
      expires_at: memberExpiresAt === null ? null : kstOf(memberExpiresAt),
    },
    models: models && [...models],
    ...perMinute(principal.keyRate),
    space: { name: spaceName, ...perMinute(principal.spaceRate) },
    expires_at: kstOf(endOfKey(principal)),
    disabled: principal.disabled,
  };
}

function perMinute(rate: Principal['keyRate']) {
  return {
    requests_per_minute: rate?.requestsPerMinute ?? null,
    tokens_per_minute: rate?.tokensPerMinute ?? null,
  };
}

function unitsOrNull(units: Units | null): string | null {
  return units === null ? null : printUnits(units);
}
