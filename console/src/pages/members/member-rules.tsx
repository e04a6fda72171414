/** What an administrator sets for a member: rules that hold for all their keys, also for new and rotated ones. */
import { useState } from 'react';
import { useChange } from '../../api/use-operation.ts';
import { useSpace } from '../../app/session.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { MonthLimitDialog } from '../../parts/month-limit-dialog.tsx';
import { RateFields, typedRate, typedRateInput } from '../../parts/rate-fields.tsx';
import { useTexts } from '../../text/define-texts.ts';
import { printKst } from '../../text/times.ts';
import { ModelChoice } from '../keys/model-choice.tsx';
import type { MemberChangeProps } from './member-row.ts';
import { memberRuleTexts } from './texts.ts';

export function MemberLimitDialog({ row, onClose }: MemberChangeProps) {
  const t = useTexts(memberRuleTexts);
  const [space, limit] = [useSpace(), useChange('members.limit')];
  const { email } = row;
  return (
    <MonthLimitDialog
      title={t('limitTitle', { email })}
      row={row}
      run={(wanted) => limit.mutateAsync({ space, email, month_limit: wanted })}
      onClose={onClose}
    >
      <p>{t('forAllKeys')}</p>
    </MonthLimitDialog>
  );
}

export function MemberRateDialog({ row, onClose }: MemberChangeProps) {
  const t = useTexts(memberRuleTexts);
  const [space, change] = [useSpace(), useChange('members.rate')];
  const [rate, setRate] = useState(typedRate(row));
  const { email } = row;
  return (
    <FormDialog
      title={t('rateTitle', { email })}
      submit={t('save')}
      run={() => change.mutateAsync({ space, email, ...typedRateInput(rate) })}
      onClose={onClose}
    >
      <p>{t('forAllKeys')}</p>
      <RateFields rate={rate} onType={setRate} />
    </FormDialog>
  );
}

export function MemberModelsDialog({ row: { email, models }, onClose }: MemberChangeProps) {
  const t = useTexts(memberRuleTexts);
  const [space, change] = [useSpace(), useChange('members.models')];
  const [chosen, setChosen] = useState<readonly string[] | null>(models);
  return (
    <FormDialog
      title={t('modelsTitle', { email })}
      submit={t('save')}
      run={() => change.mutateAsync({ space, email, models: chosen === null ? null : [...chosen] })}
      onClose={onClose}
    >
      <p>{t('forAllKeys')}</p>
      <ModelChoice chosen={chosen} onChoose={setChosen} />
    </FormDialog>
  );
}

export function MemberEndDialog({ row, onClose }: MemberChangeProps) {
  const { email, expires_at: end } = row;
  const t = useTexts(memberRuleTexts);
  const [space, expire] = [useSpace(), useChange('members.expire')];
  // `2026-11-16T14:13`, as the field of the browser has it.
  const [at, setAt] = useState(end === null ? '' : printKst(end).slice(0, 16).replace(' ', 'T'));
  const [asksNow, setAsksNow] = useState(false);
  if (asksNow) {
    return (
      <ConfirmDialog
        title={t('endNowTitle', { email })}
        confirm={t('endNow')}
        danger
        run={() => expire.mutateAsync({ space, email, expires: 'now' })}
        onClose={onClose}
      >
        {t('endNowText')}
      </ConfirmDialog>
    );
  }
  return (
    <FormDialog
      title={t('endTitle', { email })}
      submit={t('save')}
      run={() => expire.mutateAsync({ space, email, expires: at === '' ? null : `${at}:00+09:00` })}
      onClose={onClose}
    >
      <p>{t('forAllKeys')}</p>
      <LineField label={t('endAt')} hint={t('endHint')} type="datetime-local" value={at} onType={setAt} />
      <p>
        <button type="button" className="danger" onClick={() => setAsksNow(true)}>
          {t('endNow')}
        </button>
      </p>
    </FormDialog>
  );
}
