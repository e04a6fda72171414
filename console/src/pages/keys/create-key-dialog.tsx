/** Creates a key and shows its secret once. */
import { useState } from 'react';
import { KEY_DAYS_DEFAULT } from '../../../../gateway/src/contract/administration/words.ts';
import { DaysField } from '../../parts/days-field.tsx';
import { Choice } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { LineField, NameField } from '../../parts/line-field.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { useRole, useSession } from '../../session/session.ts';
import { useTexts } from '../../text/say.ts';
import { printKst } from '../../text/times.ts';
import { RuleFields } from '../../topics/rules/rule-fields.tsx';
import { useRuleTexts } from '../../topics/rules/say-rule.ts';
import { keyChangeTexts } from './change-texts.ts';
import style from './keys.module.css';
import { type KeyMade, type KeyWanted, newKeySettings, useCreateKey } from './use-create-key.ts';
import { useMemberAddresses } from './use-member-addresses.ts';

export function CreateKeyDialog({ tab, onClose }: { tab: 'gateway' | 'management'; onClose(): void }) {
  const t = useTexts(keyChangeTexts);
  const say = useRuleTexts('key');
  const [made, setMade] = useState<KeyMade | null>(null);
  if (made === null) return <CreateForm tab={tab} onMade={setMade} onClose={onClose} />;
  return (
    <SecretDialog
      title={t('newTitle', { name: made.name })}
      secret={made.secret}
      what={t('theKey')}
      onClose={onClose}
    >
      <p className="hint">{t('validUntil', { time: printKst(made.expiresAt) })}</p>
      {made.failed.length > 0 && (
        <div role="alert" className="warning">
          <p>{t('partial')}</p>
          <ul className={style.failed}>
            {made.failed.map(({ setting, sentence }) => (
              <li key={setting}>{t('failed', { what: say(setting) ?? setting, sentence })}</li>
            ))}
          </ul>
        </div>
      )}
    </SecretDialog>
  );
}

function CreateForm(props: { tab: 'gateway' | 'management'; onMade(made: KeyMade): void; onClose(): void }) {
  const t = useTexts(keyChangeTexts);
  const { isAdmin } = useRole();
  const { person } = useSession();
  const members = useMemberAddresses(isAdmin);
  const create = useCreateKey();
  const [wanted, setWanted] = useState<KeyWanted>({
    name: '',
    kind: props.tab === 'management' ? 'management' : isAdmin ? 'shared' : 'personal',
    days: String(KEY_DAYS_DEFAULT),
    rules: {},
  });
  const set = (changes: Partial<KeyWanted>): void => setWanted({ ...wanted, ...changes });
  const owner = wanted.email ?? (members.includes(person.email) ? person.email : '');
  const calls = wanted.kind !== 'management';
  const run = async (): Promise<void> => {
    const { email: _, ...rest } = wanted;
    const email = isAdmin && wanted.kind === 'personal' ? { email: owner } : {};
    props.onMade(await create({ ...rest, ...email, ...(!calls && { rules: {} }) }));
  };
  return (
    <FormDialog title={t('createTitle')} submit={t('create')} followed run={run} onClose={props.onClose}>
      <NameField
        label={t('name')}
        hint={t('nameHint')}
        value={wanted.name}
        onType={(name) => set({ name })}
      />
      {isAdmin && (
        <Choice
          label={t('kind')}
          value={wanted.kind}
          values={['shared', 'personal', 'management']}
          labelOf={t}
          onChoose={(kind) => set({ kind })}
        />
      )}
      {isAdmin && wanted.kind === 'personal' && (
        <LineField
          label={t('owner')}
          hint={t('ownerHint')}
          type="email"
          required
          offers={members}
          value={owner}
          onType={(email) => set({ email })}
        />
      )}
      <DaysField value={wanted.days} onType={(days) => set({ days })} />
      {/* A management key calls no models. */}
      {isAdmin &&
        calls &&
        newKeySettings.map((setting) => (
          <RuleFields
            key={setting}
            holder="key"
            setting={setting}
            typed={wanted.rules}
            onType={(rules) => set({ rules })}
          />
        ))}
    </FormDialog>
  );
}
