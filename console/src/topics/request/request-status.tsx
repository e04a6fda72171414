/** How a request ended, and what it cost. */
import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { UnitAmount } from '../../parts/unit-amount.tsx';
import { useTexts } from '../../text/say.ts';
import style from './request-status.module.css';
import { requestStatusTexts } from './texts.ts';

export type RequestRow = ResultOf<'requests.list'>['data'][number];
export type ShownStatus = RequestRow['status'];

const tones: Readonly<Record<ShownStatus, Tone>> = {
  completed: 'good',
  partial: 'warn',
  failed: 'bad',
  rejected: 'warn',
};

export function RequestBadge({ status }: { status: ShownStatus }) {
  const t = useTexts(requestStatusTexts);
  return <Badge tone={tones[status]}>{t(status)}</Badge>;
}

/** A request that produced nothing is not charged; any other without a cost has an unknown one. */
export function RequestCost({ status, cost }: { status: ShownStatus; cost: string | null }) {
  const t = useTexts(requestStatusTexts);
  if (cost !== null || status === 'completed' || status === 'partial') return <UnitAmount value={cost} />;
  return (
    <span className={style.free} title={t('notChargedHint')}>
      {t('notCharged')}
    </span>
  );
}
