/** The dialogs of a space: creating it, granting units, overage, what has no price, blocking, rate limits and invoices. */
import { useState } from 'react';
import { useChange } from '../../api/use-operation.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Choice } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { RateFields, typedRate, typedRateInput } from '../../parts/rate-fields.tsx';
import { groupDigits } from '../../parts/unit-amount.tsx';
import { useTexts } from '../../text/define-texts.ts';
import { GrantDialog } from './grant-dialog.tsx';
import { ProjectIdsDialog } from './project-ids-dialog.tsx';
import type { SpaceRow } from './space-badges.tsx';
import { spaceChangeTexts } from './spaces-texts.ts';

export type SpaceAction =
  | 'grant'
  | 'allowOverage'
  | 'forbidOverage'
  | 'allowUnpriced'
  | 'forbidUnpriced'
  | 'forgive'
  | 'block'
  | 'unblock'
  | 'setRate'
  | 'projectIds'
  | 'invoice';

interface ChangeProps {
  readonly row: SpaceRow;
  onClose(): void;
}

export function SpaceChange({ action, ...props }: ChangeProps & { action: SpaceAction }) {
  switch (action) {
    case 'grant':
      return <GrantDialog space={props.row.name} onClose={props.onClose} />;
    case 'allowOverage':
    case 'forbidOverage':
      return <OverageDialog {...props} />;
    case 'allowUnpriced':
    case 'forbidUnpriced':
      return <UnpricedDialog {...props} />;
    case 'forgive':
      return <ForgiveDialog {...props} />;
    case 'block':
    case 'unblock':
      return <BlockDialog {...props} />;
    case 'setRate':
      return <RateDialog {...props} />;
    case 'projectIds':
      return <ProjectIdsDialog space={props.row.name} onClose={props.onClose} />;
    default:
      return <InvoiceDialog {...props} />;
  }
}

export function CreateSpaceDialog({ onClose }: { onClose(): void }) {
  const t = useTexts(spaceChangeTexts);
  const create = useChange('spaces.create');
  const [name, setName] = useState('');
  const [overage, setOverage] = useState<'on' | 'off'>('off');
  return (
    <FormDialog
      title={t('createTitle')}
      submit={t('create')}
      run={() => create.mutateAsync({ name, overage: overage === 'on' })}
      onClose={onClose}
    >
      <LineField
        label={t('name')}
        hint={t('nameHint')}
        required
        maxLength={63}
        value={name}
        onType={setName}
      />
      <Choice
        label={t('overage')}
        value={overage}
        options={[
          { value: 'off', label: t('overageOff') },
          { value: 'on', label: t('overageOn') },
        ]}
        onChoose={(chosen) => setOverage(chosen)}
      />
    </FormDialog>
  );
}

function OverageDialog({ row: { name: space, overage_allowed }, onClose }: ChangeProps) {
  const t = useTexts(spaceChangeTexts);
  const change = useChange('spaces.overage');
  // What it becomes; the row changes before the dialog is closed.
  const [kind] = useState<'allow' | 'forbid'>(overage_allowed ? 'forbid' : 'allow');
  return (
    <ConfirmDialog
      title={t(`${kind}Title`, { space })}
      confirm={t(kind)}
      run={() => change.mutateAsync({ space, allowed: kind === 'allow' })}
      onClose={onClose}
    >
      {t(`${kind}Text`)}
    </ConfirmDialog>
  );
}

function UnpricedDialog({ row: { name: space, unpriced_allowed }, onClose }: ChangeProps) {
  const t = useTexts(spaceChangeTexts);
  const change = useChange('spaces.unpriced');
  const [kind] = useState<'allow' | 'forbid'>(unpriced_allowed ? 'forbid' : 'allow');
  return (
    <ConfirmDialog
      title={t(`${kind}UnpricedTitle`, { space })}
      confirm={t(`${kind}Unpriced`)}
      run={() => change.mutateAsync({ space, allowed: kind === 'allow' })}
      onClose={onClose}
    >
      {t(`${kind}UnpricedText`)}
    </ConfirmDialog>
  );
}

function ForgiveDialog({ row: { name: space }, onClose }: ChangeProps) {
  const t = useTexts(spaceChangeTexts);
  const forgive = useChange('ledger.forgive');
  const [note, setNote] = useState('');
  return (
    <FormDialog
      title={t('forgiveTitle', { space })}
      submit={t('forgive')}
      danger
      run={() => forgive.mutateAsync({ space, ...(note !== '' && { note }) })}
      onClose={onClose}
    >
      <p>{t('forgiveText')}</p>
      <LineField label={t('note')} hint={t('noteHint')} maxLength={120} value={note} onType={setNote} />
    </FormDialog>
  );
}

function BlockDialog({ row: { name: space, blocked }, onClose }: ChangeProps) {
  const t = useTexts(spaceChangeTexts);
  const change = useChange('spaces.block');
  const [kind] = useState<'block' | 'unblock'>(blocked ? 'unblock' : 'block');
  return (
    <ConfirmDialog
      title={t(`${kind}Title`, { space })}
      confirm={t(kind)}
      danger={kind === 'block'}
      run={() => change.mutateAsync({ space, blocked: kind === 'block' })}
      onClose={onClose}
    >
      {t(`${kind}Text`)}
    </ConfirmDialog>
  );
}

function RateDialog({ row, onClose }: ChangeProps) {
  const t = useTexts(spaceChangeTexts);
  const change = useChange('spaces.rate');
  const [rate, setRate] = useState(typedRate(row));
  return (
    <FormDialog
      title={t('rateTitle', { space: row.name })}
      submit={t('save')}
      run={() => change.mutateAsync({ space: row.name, ...typedRateInput(rate) })}
      onClose={onClose}
    >
      <p>{t('rateText')}</p>
      <RateFields rate={rate} onType={setRate} />
    </FormDialog>
  );
}

function InvoiceDialog({ row, onClose }: ChangeProps) {
  const t = useTexts(spaceChangeTexts);
  const invoice = useChange('spaces.invoice');
  const [note, setNote] = useState('');
  return (
    <FormDialog
      title={t('invoiceTitle', { space: row.name })}
      submit={t('invoice')}
      danger
      run={() => invoice.mutateAsync({ space: row.name, ...(note !== '' && { note }) })}
      onClose={onClose}
    >
      <p>{t('invoiceText', { overage: groupDigits(row.overage) })}</p>
      <LineField label={t('note')} hint={t('noteHint')} maxLength={120} value={note} onType={setNote} />
    </FormDialog>
  );
}
