/** Lets a workload call as a key: whose token, of which subject, and with which claims. */
import { useState } from 'react';
import { useSpace } from '../../addresses/use-space.ts';
import { type ItemOf, useChange } from '../../api/use-operation.ts';
import { Field } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { useTexts } from '../../text/say.ts';
import { workloadTexts } from './workload-texts.ts';

interface AddWorkloadProps {
  /** Of the key. */
  readonly name: string;
  /** What an operator gave to the space. */
  readonly given: ReadonlyArray<ItemOf<'workloadSubjects.list'>>;
  onClose(): void;
}

const SUBJECTS_NAMED_MAX = 5;

export function AddWorkloadDialog({ name, given, onClose }: AddWorkloadProps) {
  const t = useTexts(workloadTexts);
  const [space, add] = [useSpace(), useChange('workloads.add')];
  const [issuer, setIssuer] = useState(given[0]?.issuer ?? '');
  const [subject, setSubject] = useState('');
  const [claims, setClaims] = useState('');
  const usable = given.filter((one) => one.issuer === issuer.trim()).map(({ subjects }) => subjects);
  const named = usable.slice(0, SUBJECTS_NAMED_MAX).join(', ');
  const run = () => {
    const listed = claims.split('\n').map((claim) => claim.trim());
    return add.mutateAsync({
      space,
      key: name,
      issuer: issuer.trim(),
      subject: subject.trim(),
      claims: listed.filter((claim) => claim !== ''),
    });
  };
  return (
    <FormDialog title={t('addTitle', { name })} submit={t('addSubmit')} run={run} onClose={onClose}>
      <LineField
        label={t('issuer')}
        hint={t('issuerHint')}
        required
        offers={[...new Set(given.map((one) => one.issuer))]}
        value={issuer}
        onType={setIssuer}
      />
      <LineField
        label={t('workload')}
        hint={
          named === ''
            ? t('subjectHint')
            : `${t('subjectHint')} ${t('usable', { subjects: usable.length > SUBJECTS_NAMED_MAX ? `${named}, …` : named })}`
        }
        required
        className="code"
        spellCheck={false}
        offers={usable}
        value={subject}
        onType={setSubject}
      />
      <Field label={t('claims')} hint={t('claimsHint')}>
        {(control) => (
          <textarea {...control} value={claims} onChange={({ target }) => setClaims(target.value)} />
        )}
      </Field>
    </FormDialog>
  );
}
