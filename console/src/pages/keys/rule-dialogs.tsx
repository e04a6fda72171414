/** What an administrator sets of a key: when it expires, how much it may spend, how fast, and on which models. */
import { useState } from 'react';
import { useChange } from '../../api/use-operation.ts';
import { useSpace } from '../../app/session.ts';
import { SpaceLink } from '../../app/space-link.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { MonthLimitDialog } from '../../parts/month-limit-dialog.tsx';
import { RateFields, typedRate, typedRateInput } from '../../parts/rate-fields.tsx';
import { useTexts } from '../../text/define-texts.ts';
import { printKst } from '../../text/times.ts';
import { keyChangeTexts } from './change-texts.ts';
import type { KeyChangeProps } from './key-view.ts';
import { ModelChoice } from './model-choice.tsx';

export function ExpiryDialog({ row, onClose }: KeyChangeProps) {
  const { name, owner, expires_at } = row;
  const t = useTexts(keyChangeTexts);
  const [space, expire] = [useSpace(), useChange('keys.expire')];
  // `2026-11-16T14:13`, as the field of the browser has it.
  const [at, setAt] = useState(printKst(expires_at).slice(0, 16).replace(' ', 'T'));
  const [asksNow, setAsksNow] = useState(false);
  if (asksNow) return <ExpireNowDialog row={row} onClose={() => setAsksNow(false)} onExpired={onClose} />;
  return (
    <FormDialog
      title={t('expiryTitle', { name })}
      submit={t('save')}
      run={() => expire.mutateAsync({ space, name, expires: `${at}:00+09:00` })}
      onClose={onClose}
    >
      <OnlyThisKey owner={owner} />
      <LineField
        label={t('expiryAt')}
        hint={t('expiryHint')}
        type="datetime-local"
        required
        value={at}
        onType={setAt}
      />
      <p>
        <button type="button" className="danger" onClick={() => setAsksNow(true)}>
          {t('expireNow')}
        </button>
      </p>
    </FormDialog>
  );
}

function ExpireNowDialog({ row: { name }, onClose, onExpired }: KeyChangeProps & { onExpired(): void }) {
  const t = useTexts(keyChangeTexts);
  const [space, expire] = [useSpace(), useChange('keys.expire')];
  return (
    <ConfirmDialog
      title={t('expireNowTitle', { name })}
      confirm={t('expireNow')}
      danger
      run={async () => {
        await expire.mutateAsync({ space, name, expires: 'now' });
        onExpired();
      }}
      onClose={onClose}
    >
      {t('expireNowText')}
    </ConfirmDialog>
  );
}

export function KeyLimitDialog({ row, onClose }: KeyChangeProps) {
  const t = useTexts(keyChangeTexts);
  const [space, limit] = [useSpace(), useChange('keys.limit')];
  const { name } = row;
  return (
    <MonthLimitDialog
      title={t('limitTitle', { name })}
      row={row}
      run={(wanted) => limit.mutateAsync({ space, name, month_limit: wanted })}
      onClose={onClose}
    >
      <OnlyThisKey owner={row.owner} />
    </MonthLimitDialog>
  );
}

export function RateDialog({ row, onClose }: KeyChangeProps) {
  const t = useTexts(keyChangeTexts);
  const [space, change] = [useSpace(), useChange('keys.rate')];
  const [rate, setRate] = useState(typedRate(row));
  return (
    <FormDialog
      title={t('rateTitle', { name: row.name })}
      submit={t('save')}
      run={() => change.mutateAsync({ space, name: row.name, ...typedRateInput(rate) })}
      onClose={onClose}
    >
      <OnlyThisKey owner={row.owner} />
      <RateFields rate={rate} onType={setRate} />
    </FormDialog>
  );
}

export function ModelsDialog({ row: { name, models, owner }, onClose }: KeyChangeProps) {
  const t = useTexts(keyChangeTexts);
  const [space, change] = [useSpace(), useChange('keys.models')];
  const [chosen, setChosen] = useState<readonly string[] | null>(models);
  return (
    <FormDialog
      title={t('modelsTitle', { name })}
      submit={t('save')}
      run={() => change.mutateAsync({ space, name, models: chosen === null ? null : [...chosen] })}
      onClose={onClose}
    >
      <OnlyThisKey owner={owner} />
      <ModelChoice chosen={chosen} onChoose={setChosen} />
    </FormDialog>
  );
}

/** The owner of a personal key can create others, which have no rule of this key. */
function OnlyThisKey({ owner }: { owner: string | null }) {
  const t = useTexts(keyChangeTexts);
  if (owner === null) return null;
  return (
    <p className="hint">
      {t('onlyThisKey', { owner })}{' '}
      <SpaceLink page="members" search={{ member: owner }}>
        {t('allKeysOf', { owner })}
      </SpaceLink>
    </p>
  );
}
