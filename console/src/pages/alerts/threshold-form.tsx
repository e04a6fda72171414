/** When the space is warned. An empty field: no warning. */
import { useState } from 'react';
import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { useChange, useRead } from '../../api/use-operation.ts';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { Form } from '../../parts/field.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { useRun } from '../../parts/use-run.ts';
import { useTexts } from '../../text/say.ts';
import { alertsTexts } from './texts.ts';

type Settings = ResultOf<'alerts.settings'>;

export function ThresholdForm() {
  const { data, error } = useRead('alerts.settings', { space: useSpace() });
  if (data === undefined) return <ThrownNote error={error} />;
  return <SettingsForm settings={data} />;
}

function SettingsForm({ settings }: { settings: Settings }) {
  const t = useTexts(alertsTexts);
  const [space, set] = [useSpace(), useChange('alerts.set')];
  const { runs, error, run } = useRun();
  const [limits, setLimits] = useState(settings.limit_percents.join(', '));
  const [units, setUnits] = useState(settings.balance_units ?? '');
  const [percent, setPercent] = useState(String(settings.balance_percent ?? ''));
  const [days, setDays] = useState(settings.expiry_days.join(', '));
  const wanted = {
    limit_percents: numbersIn(limits),
    balance_units: units.trim() === '' ? null : units.trim(),
    balance_percent: percent.trim() === '' ? null : Number(percent),
    expiry_days: numbersIn(days),
  };
  return (
    <Form onSubmit={() => void run(() => set.mutateAsync({ space, ...wanted }))}>
      <LineField label={t('limits')} hint={t('limitsHint')} value={limits} onType={setLimits} />
      <LineField label={t('units')} hint={t('unitsHint')} value={units} onType={setUnits} />
      <LineField label={t('percent')} hint={t('percentHint')} value={percent} onType={setPercent} />
      <LineField label={t('days')} hint={t('daysHint')} value={days} onType={setDays} />
      <ThrownNote error={error} />
      <p role="status">{set.isSuccess && t('saved')}</p>
      <div>
        <button type="submit" className="main" disabled={runs}>
          {t('save')}
        </button>
      </div>
    </Form>
  );
}

/** What is no number is rejected by the gateway, which says why. */
function numbersIn(text: string): number[] {
  return text
    .split(/[\s,]+/)
    .filter((one) => one !== '')
    .map(Number);
}
