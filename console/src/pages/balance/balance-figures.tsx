/** The balance, what the month will cost if it goes on like this, and what is not charged yet. */
import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';
import { parseUnits, printUnits, type Units } from '../../../../gateway/src/kernel/units.ts';
import { SpaceLink } from '../../addresses/space-link.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Card, Cards, Figure, Figures } from '../../parts/page.tsx';
import { groupDigits, UnitAmount } from '../../parts/unit-amount.tsx';
import { WorthNote } from '../../parts/worth-note.tsx';
import { currentLanguage } from '../../text/language.ts';
import { useTexts } from '../../text/say.ts';
import { addMonths, currentMonth, printKst, printMonth } from '../../text/times.ts';
import style from './balance.module.css';
import { balanceTexts } from './texts.ts';
import type { Unsettled } from './use-unsettled.ts';

type Balance = ResultOf<'reports.balance'>;
type Account = ResultOf<'spaces.get'>;

interface BalanceFiguresProps {
  readonly balance: Balance;
  readonly account: Account;
  readonly unsettled: Unsettled | null;
}

export function BalanceFigures({ balance, account, unsettled }: BalanceFiguresProps) {
  const t = useTexts(balanceTexts);
  const { held, overage, worth } = balance;
  return (
    <>
      {!account.can_spend && <p className="failure">{t(account.blocked ? 'blocked' : 'cannotSpend')}</p>}
      <Cards>
        <Card title={t('held')}>
          <Figures>
            <Figure name={t('total')}>
              <UnitAmount value={held.total} />
              <WorthNote units={held.total} rate={worth} />
            </Figure>
            <Figure name={t('promo')} note={t('promoHint')} as="units" value={held.promo} />
            <Figure name={t('paid')} as="units" value={held.paid} />
            {account.reserved !== '0' && (
              <Figure name={t('reserved')} note={t('reservedHint')} as="units" value={account.reserved} />
            )}
          </Figures>
        </Card>
        <Card
          title={t('overage')}
          side={
            <Badge tone={overage.allowed ? 'good' : 'quiet'}>
              {t(overage.allowed ? 'allowed' : 'notAllowed')}
            </Badge>
          }
        >
          <Figures>
            <Figure name={t('owed')} note={t(overage.allowed ? 'owedHint' : 'notAllowedHint')}>
              <UnitAmount value={overage.accrued} />
              <WorthNote units={overage.accrued} rate={worth} />
            </Figure>
          </Figures>
        </Card>
        <MonthCard held={held.total} spent={account.spent} unsettled={unsettled} />
      </Cards>
    </>
  );
}

interface MonthCardProps {
  readonly held: string;
  readonly spent: string;
  readonly unsettled: Unsettled | null;
}

function MonthCard({ held, spent, unsettled }: MonthCardProps) {
  const t = useTexts(balanceTexts);
  const now = Date.now();
  const month = currentMonth(now);
  const { atMonthEnd, lastsUntil } = paceOf({ spent, held, month, now });
  return (
    <Card title={`${printMonth(month, currentLanguage())} (KST)`}>
      <Figures>
        <Figure name={t('spent')} note={t('settled')} as="units" value={spent} />
        <Figure
          name={t('estimate')}
          note={
            lastsUntil === null ? t('estimateHint') : t('lasts', { day: printKst(lastsUntil).slice(0, 10) })
          }
        >
          <span className={style.estimate}>≈ {groupDigits(atMonthEnd)}</span>
        </Figure>
        {unsettled !== null && unsettled.count > 0 && (
          <Figure
            name={t('unsettled')}
            note={
              <>
                {t('unsettledHint')}{' '}
                <SpaceLink page="batches" search={{ settlement: 'unsettled' }}>
                  {t('toBatches')}
                </SpaceLink>
              </>
            }
          >
            {t('unsettledCount', { count: unsettled.count, more: unsettled.hasMore ? '+' : '' })}
          </Figure>
        )}
      </Figures>
    </Card>
  );
}

/** 10⁻¹² units: what an estimate is rounded to. */
const CENT = 10n ** 10n;
const MILLIONTH = 10n ** 6n;
const ONE = 10n ** 12n;
const TEN_YEARS_MS = 10 * 366 * 86_400_000;

interface Pace {
  /** A decimal. */
  readonly atMonthEnd: string;
  /** When the units held are used up, in milliseconds; null if nothing is spent, or not in ten years. */
  readonly lastsUntil: number | null;
}

/** What the month will have cost at its end if spending goes on as it did so far: an estimate, and shown as one. */
function paceOf(of: { spent: string; held: string; month: string; now: number }): Pace {
  const start = startOf(of.month);
  const length = startOf(addMonths(of.month, 1)) - start;
  const passed = Math.max(1, Math.min(of.now - start, length));
  const [spent, held] = [parseUnits(of.spent), parseUnits(of.held)];
  const expected = (spent * BigInt(length)) / BigInt(passed);
  return {
    atMonthEnd: printUnits(rounded(expected)),
    lastsUntil: endOf({ spent, held, passed, now: of.now }),
  };
}

function endOf({ spent, held, passed, now }: { spent: Units; held: Units; passed: number; now: number }) {
  if (spent <= 0n || held <= 0n) return null;
  const left = Number((held * BigInt(passed)) / spent);
  return left > TEN_YEARS_MS ? null : now + left;
}

function rounded(amount: bigint): Units {
  const step = amount >= ONE ? CENT : MILLIONTH;
  return (((amount + step / 2n) / step) * step) as Units;
}

function startOf(month: string): number {
  return Date.parse(`${month}-01T00:00:00+09:00`);
}
