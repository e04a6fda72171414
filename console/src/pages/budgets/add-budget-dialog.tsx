/** Adds a budget. A field that is empty counts everything. */
import { useState } from 'react';
import { type Period, periods } from '../../../../gateway/src/kernel/period.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { useChange, useRead } from '../../api/use-operation.ts';
import { Choice } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { useTexts } from '../../text/say.ts';
import { PER_TAG, type PerChoice, perChoices } from './budget-words.ts';
import { EffectField } from './effect-field.tsx';
import { budgetsTexts } from './texts.ts';

const OFFERED_MAX = 200;
const nothing = { key: '', member: '', model: '', end_user: '', session: '', tags: '' };

export function AddBudgetDialog({ onClose }: { onClose(): void }) {
  const t = useTexts(budgetsTexts);
  const [space, add] = [useSpace(), useChange('budgets.add')];
  const [name, setName] = useState('');
  const [amount, setAmount] = useState('');
  const [window, setWindow] = useState<Period>('month');
  const [hard, setHard] = useState(false);
  const [counts, setCounts] = useState(nothing);
  const [per, setPer] = useState<PerChoice>('none');
  const [perTag, setPerTag] = useState('');
  const chosen = Object.entries(counts).flatMap(([field, text]) =>
    text.trim() === '' ? [] : [[field, text.trim()]],
  );
  const of = per === 'tag' ? `${PER_TAG}${perTag.trim()}` : per;
  const wanted = { name: name.trim(), amount, window, hard, ...Object.fromEntries(chosen) };
  return (
    <FormDialog
      title={t('add')}
      submit={t('addSubmit')}
      run={() => add.mutateAsync({ space, ...wanted, per: of === 'none' ? undefined : of })}
      onClose={onClose}
    >
      <LineField
        label={t('name')}
        hint={t('nameHint')}
        required
        maxLength={120}
        value={name}
        onType={setName}
      />
      <LineField
        label={t('amount')}
        hint={t('amountEach')}
        required
        inputMode="decimal"
        value={amount}
        onType={setAmount}
      />
      <Choice
        label={t('window')}
        value={window}
        values={periods}
        labelOf={(one) => t(one)}
        onChoose={setWindow}
      />
      <EffectField hard={hard} onChoose={setHard} />
      <CountedFields counts={counts} onType={(typed) => setCounts({ ...counts, ...typed })} />
      <Choice
        label={t('per')}
        value={per}
        values={perChoices}
        labelOf={(one) => t(`per_${one}`)}
        onChoose={setPer}
      />
      {per === 'tag' && <LineField label={t('perTag')} required value={perTag} onType={setPerTag} />}
    </FormDialog>
  );
}

type Counts = typeof nothing;

function CountedFields({ counts, onType }: { counts: Counts; onType(typed: Partial<Counts>): void }) {
  const t = useTexts(budgetsTexts);
  const space = useSpace();
  const keys = useRead('keys.list', { space, limit: OFFERED_MAX }).data?.data ?? [];
  const members = useRead('members.list', { space, limit: OFFERED_MAX }).data?.data ?? [];
  const models = useRead('models.list', { space }).data?.data ?? [];
  const fields = [
    { field: 'tags', label: t('tags'), hint: t('tagsHint') },
    { field: 'key', label: t('key'), offers: keys.map(({ name }) => name) },
    { field: 'member', label: t('member'), offers: members.map(({ email }) => email) },
    { field: 'model', label: t('model'), offers: models.map(({ id }) => id) },
    { field: 'end_user', label: t('endUser') },
    { field: 'session', label: t('session') },
  ] as const;
  return (
    <>
      <h3>{t('counts')}</h3>
      <p className="hint">{t('countsHint')}</p>
      {fields.map(({ field, ...shown }) => (
        <LineField
          key={field}
          {...shown}
          autoComplete="off"
          value={counts[field]}
          onType={(text) => onType({ [field]: text })}
        />
      ))}
    </>
  );
}
