/** Issues a new secret for a key; the old one keeps working for a while. */
import { useState } from 'react';
import {
  GRACE_HOURS_DEFAULT,
  GRACE_HOURS_MAX,
  KEY_DAYS_DEFAULT,
} from '../../../../gateway/src/contract/administration/words.ts';
import { HOUR_MS } from '../../../../gateway/src/kernel/durations.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { useChange } from '../../api/use-operation.ts';
import { DaysField } from '../../parts/days-field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { useTexts } from '../../text/say.ts';
import { printKst } from '../../text/times.ts';
import { keyChangeTexts } from './change-texts.ts';
import type { KeyChangeProps } from './key-view.ts';

export function RotateDialog({ row: { name }, onClose }: KeyChangeProps) {
  const t = useTexts(keyChangeTexts);
  const space = useSpace();
  const rotate = useChange('keys.rotate');
  const [grace, setGrace] = useState(String(GRACE_HOURS_DEFAULT));
  const [days, setDays] = useState(String(KEY_DAYS_DEFAULT));
  if (rotate.data !== undefined) {
    const { key, expires_at, former_until } = rotate.data;
    return (
      <SecretDialog title={t('rotatedTitle', { name })} secret={key} what={t('theKey')} onClose={onClose}>
        <p>{t('rotatedUntil', { time: printKst(former_until) })}</p>
        <p className="hint">{t('validUntil', { time: printKst(expires_at) })}</p>
      </SecretDialog>
    );
  }
  const until = printKst(Date.now() + Number(grace) * HOUR_MS);
  return (
    <FormDialog
      title={t('rotateTitle', { name })}
      submit={t('rotate')}
      followed
      run={() => rotate.mutateAsync({ space, name, grace_hours: Number(grace), days: Number(days) })}
      onClose={onClose}
    >
      <p>{t('rotateText')}</p>
      <LineField
        label={t('grace')}
        hint={
          <>
            {t('graceHint', { max: GRACE_HOURS_MAX })}{' '}
            {Number(grace) === 0 ? t('oldNow') : t('oldUntil', { time: until })}
          </>
        }
        type="number"
        min={0}
        max={GRACE_HOURS_MAX}
        required
        value={grace}
        onType={setGrace}
      />
      <DaysField value={days} onType={setDays} />
    </FormDialog>
  );
}
