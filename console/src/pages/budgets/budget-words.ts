/** What the page says of a budget in plain words. Pure. */
import { addUnits, parseUnits, printUnits, type Units } from '../../../../gateway/src/kernel/units.ts';
import type { ItemOf } from '../../api/use-operation.ts';
import { groupDigits } from '../../parts/unit-amount.tsx';
import { currentLanguage } from '../../text/language.ts';
import type { Say } from '../../text/say.ts';
import { printDay, printKst } from '../../text/times.ts';
import type { BudgetText } from './texts.ts';

export type BudgetRow = ItemOf<'budgets.list'>;
type SayBudget = Say<BudgetText>;

export const PER_TAG = 'tag:';
export const perChoices = ['none', 'key', 'member', 'model', 'end_user', 'session', 'tag'] as const;
export type PerChoice = (typeof perChoices)[number];

/** `team=shop, for each end user` */
export function countedText(t: SayBudget, budget: BudgetRow): string {
  const { key, member, model, end_user: endUser, session, tags, per } = budget;
  const chosen = [
    key === null ? null : t('ofKey', { name: key }),
    member === null ? null : t('ofMember', { name: member }),
    model === null ? null : t('ofModel', { name: model }),
    endUser === null ? null : t('ofEndUser', { name: endUser }),
    session === null ? null : t('ofSession', { name: session }),
    tags === null ? null : tags.replaceAll(',', ', '),
  ].filter((part) => part !== null);
  const what = chosen.length === 0 ? t('all') : chosen.join(', ');
  return per === null ? what : t('forEach', { what, of: perText(t, per) });
}

function perText(t: SayBudget, per: string): string {
  if (per.startsWith(PER_TAG)) return t('perTagOf', { key: per.slice(PER_TAG.length) });
  const choice = perChoices.find((one) => one === per);
  return choice === undefined ? per : t(`per_${choice}`);
}

/** With what was added for the window. */
export function amountNow({ amount, raised }: Pick<BudgetRow, 'amount' | 'raised'>): string {
  return printUnits(addUnits(parseUnits(amount), parseUnits(raised)));
}

/** Null: nothing can be said. */
export function forecastText(t: SayBudget, budget: BudgetRow): string | null {
  const { per, window, spent, spent_at_end: atEnd, used_up_at: usedUp } = budget;
  if (per !== null) return null;
  if (parseUnits(spent) >= parseUnits(amountNow(budget))) return t('usedUp');
  if (usedUp !== null && window === 'day') return t('usedUpAt', { time: printKst(usedUp).slice(11, 16) });
  if (usedUp !== null) return t('usedUpOn', { day: printDay(usedUp, currentLanguage()) });
  return atEnd === null ? null : t('spentAtEnd', { units: groupDigits(about(atEnd)) });
}

/** A forecast is no amount of the books: whole hundredths say enough. */
function about(units: string): string {
  const cent = parseUnits('0.01');
  return printUnits(((parseUnits(units) / cent) * cent) as Units);
}
