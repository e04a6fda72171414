/** The two tracks of a batch: how far its requests are, and how far its charge is. Neither says anything about the other. */
import type { ItemOf } from '../../api/use-operation.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { currentLanguage } from '../../text/language.ts';
import { useTexts } from '../../text/say.ts';
import { printCount } from '../../text/times.ts';
import style from './batches.module.css';
import { batchTexts } from './texts.ts';

export type BatchListItem = ItemOf<'batches.list'>;

const ENDED: ReadonlyArray<BatchListItem['status']> = ['completed', 'failed', 'cancelled', 'expired'];

export function hasEnded({ status }: BatchListItem): boolean {
  return ENDED.includes(status);
}

/** Nothing more will happen to it without somebody's help. */
export function isOver(batch: BatchListItem): boolean {
  return hasEnded(batch) && (batch.settlement === 'settled' || batch.settlement === 'quarantined');
}

export function StatusBadge({ batch }: { batch: BatchListItem }) {
  const t = useTexts(batchTexts);
  return <Badge tone={statusTone(batch)}>{t(batch.status)}</Badge>;
}

/** An ended batch in which requests failed is no success. */
function statusTone({ status, failed }: BatchListItem): Tone {
  if (status === 'failed' || status === 'expired') return 'bad';
  if (status === 'completed') return failed > 0 ? 'warn' : 'good';
  return status === 'cancelled' || status === 'cancelling' ? 'warn' : 'quiet';
}

export function SettlementBadge({ batch }: { batch: BatchListItem }) {
  const t = useTexts(batchTexts);
  const { settlement } = batch;
  const tone = settlement === 'settled' ? 'good' : settlement === 'quarantined' ? 'bad' : 'quiet';
  return <Badge tone={tone}>{t(settlement)}</Badge>;
}

export function Counts({ batch }: { batch: BatchListItem }) {
  const t = useTexts(batchTexts);
  const language = currentLanguage();
  const { completed, failed, total } = batch;
  return (
    <span className={style.counts}>
      {t('counts', { completed: printCount(completed, language), total: printCount(total, language) })}
      {failed > 0 && (
        <span className={style.failed}>{t('failedCount', { count: printCount(failed, language) })}</span>
      )}
    </span>
  );
}
