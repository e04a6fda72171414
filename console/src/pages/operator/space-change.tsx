/** The dialogs of a space: creating it, granting units, and what an operator can change. */
import { useState } from 'react';
import type { SettingOn } from '../../../../gateway/src/contract/administration/rules/find-rules.ts';
import { useChange } from '../../api/use-operation.ts';
import { Choice } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { groupDigits } from '../../parts/unit-amount.tsx';
import { useTexts } from '../../text/say.ts';
import { RuleDialog } from '../../topics/rules/rule-dialog.tsx';
import { ProjectIdsDialog } from './project-ids-dialog.tsx';
import type { SpaceRow } from './space-badges.tsx';
import { spaceChangeTexts } from './spaces-texts.ts';

export type SpaceAction = 'grant' | SettingOn<'space'> | 'forgive' | 'projectIds' | 'invoice';

interface ChangeProps {
  readonly row: SpaceRow;
  onClose(): void;
}

export function SpaceChange({ action, ...props }: ChangeProps & { action: SpaceAction }) {
  switch (action) {
    case 'grant':
      return <GrantDialog space={props.row.name} onClose={props.onClose} />;
    case 'forgive':
      return <ForgiveDialog {...props} />;
    case 'projectIds':
      return <ProjectIdsDialog space={props.row.name} onClose={props.onClose} />;
    case 'invoice':
      return <InvoiceDialog {...props} />;
    default:
      return <SpaceRuleDialog {...props} setting={action} />;
  }
}

function SpaceRuleDialog({ setting, row, onClose }: ChangeProps & { setting: SettingOn<'space'> }) {
  const t = useTexts(spaceChangeTexts);
  const { name: space } = row;
  return (
    <RuleDialog holder="space" setting={setting} named={{ space }} name={space} row={row} onClose={onClose}>
      {setting === 'rate' && <p>{t('rateText')}</p>}
    </RuleDialog>
  );
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
        values={['off', 'on']}
        labelOf={(one) => t(one === 'on' ? 'overageOn' : 'overageOff')}
        onChoose={setOverage}
      />
    </FormDialog>
  );
}

function ForgiveDialog({ row: { name: space }, onClose }: ChangeProps) {
  const t = useTexts(spaceChangeTexts);
  const { mutateAsync } = useChange('ledger.forgive');
  return (
    <NoteDialog of="forgive" space={space} text={t('forgiveText')} send={mutateAsync} onClose={onClose} />
  );
}

function InvoiceDialog({ row: { name: space, overage }, onClose }: ChangeProps) {
  const t = useTexts(spaceChangeTexts);
  const { mutateAsync } = useChange('spaces.invoice');
  const text = t('invoiceText', { overage: groupDigits(overage) });
  return <NoteDialog of="invoice" space={space} text={text} send={mutateAsync} onClose={onClose} />;
}

interface NoteDialogProps {
  readonly of: 'forgive' | 'invoice';
  readonly space: string;
  readonly text: string;
  send(input: { space: string; note?: string }): Promise<unknown>;
  onClose(): void;
}

/** A change for good, with a note for the books. */
function NoteDialog({ of, space, text, send, onClose }: NoteDialogProps) {
  const t = useTexts(spaceChangeTexts);
  const [note, setNote] = useState('');
  return (
    <FormDialog
      title={t(`${of}Title`, { space })}
      submit={t(of)}
      danger
      run={() => send({ space, ...(note !== '' && { note }) })}
      onClose={onClose}
    >
      <p>{text}</p>
      <LineField label={t('note')} hint={t('noteHint')} maxLength={120} value={note} onType={setNote} />
    </FormDialog>
  );
}

/** Grants units to a space. */
function GrantDialog({ space, onClose }: { space: string; onClose(): void }) {
  const t = useTexts(spaceChangeTexts);
  const grant = useChange('grants.add');
  const [amount, setAmount] = useState('');
  const [kind, setKind] = useState<'paid' | 'promo'>('paid');
  const [expires, setExpires] = useState('');
  const [note, setNote] = useState('');
  return (
    <FormDialog
      title={t('grantTitle', { space })}
      submit={t('grant')}
      run={() =>
        grant.mutateAsync({
          space,
          amount: amount.trim(),
          kind,
          ...(kind === 'promo' && expires !== '' && { expires: `${expires}:00+09:00` }),
          ...(note !== '' && { note }),
        })
      }
      onClose={onClose}
    >
      <p>{t('grantText')}</p>
      <LineField label={t('amount')} required inputMode="decimal" value={amount} onType={setAmount} />
      <Choice label={t('kind')} value={kind} values={['paid', 'promo']} labelOf={t} onChoose={setKind} />
      {kind === 'promo' && (
        <LineField
          label={t('expires')}
          hint={t('expiresHint')}
          type="datetime-local"
          value={expires}
          onType={setExpires}
        />
      )}
      <LineField label={t('note')} hint={t('noteHint')} maxLength={120} value={note} onType={setNote} />
    </FormDialog>
  );
}
