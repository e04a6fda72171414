/** Who runs the installation: operators, and tokens of programs. */
import { useState } from 'react';
import { useChange, useList } from '../../api/use-operation.ts';
import { Badge } from '../../parts/badge.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { LineField, NewPasswordField } from '../../parts/line-field.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Card } from '../../parts/page.tsx';
import { SignInLinkDialog } from '../../parts/sign-in-link-dialog.tsx';
import { useSession } from '../../session/session.ts';
import { useTexts } from '../../text/say.ts';
import { AdminTokens } from '../../topics/admin-tokens/admin-tokens.tsx';
import { OwnedTokens } from '../../topics/admin-tokens/owned-tokens.tsx';
import { accessTexts } from './access-texts.ts';

type Action =
  | { readonly kind: 'link' | 'password' | 'remove'; readonly email: string }
  | { readonly kind: 'add' };

export function AccessTab() {
  const t = useTexts(accessTexts);
  const { person } = useSession();
  const list = useList('operators.list', {});
  const [action, setAction] = useState<Action | null>(null);
  const close = (): void => setAction(null);
  return (
    <div className="stack loose">
      <Card
        title={t('operators')}
        side={
          <button type="button" onClick={() => setAction({ kind: 'add' })}>
            {t('add')}
          </button>
        }
      >
        <div className="stack loose">
          <p className="hint">{t('note')}</p>
          <DataTable
            caption={t('operators')}
            list={list}
            rowKey={({ email }) => email}
            columns={[
              {
                key: 'email',
                title: t('email'),
                cell: ({ email }) => (
                  <span className="words">
                    {email} {email === person.email && <Badge tone="quiet">{t('you')}</Badge>}
                  </span>
                ),
              },
              {
                key: 'password',
                title: t('hasPassword'),
                wide: true,
                cell: ({ has_password }) => t(has_password ? 'set' : 'notSet'),
              },
              { key: 'created_at', title: t('since'), as: 'moment', wide: true },
              {
                key: 'actions',
                title: t('actions'),
                cell: ({ email }) => (
                  <Menu
                    label={t('actionsOf', { email })}
                    buttonClass="in-row"
                    items={[
                      { label: t('signInLink'), run: () => setAction({ kind: 'link', email }) },
                      { label: t('setPassword'), run: () => setAction({ kind: 'password', email }) },
                      null,
                      { label: t('remove'), danger: true, run: () => setAction({ kind: 'remove', email }) },
                    ]}
                  >
                    {t('actions')} ▾
                  </Menu>
                ),
              },
            ]}
            empty={null}
          />
        </div>
      </Card>
      <Card title={t('tokens')}>
        <AdminTokens space={null} />
      </Card>
      {action?.kind === 'add' && <AddOperator onClose={close} />}
      {action?.kind === 'link' && <SignInLinkDialog email={action.email} onClose={close} />}
      {action?.kind === 'password' && <SetPassword email={action.email} onClose={close} />}
      {action?.kind === 'remove' && <RemoveOperator email={action.email} onClose={close} />}
    </div>
  );
}

function AddOperator({ onClose }: { onClose(): void }) {
  const t = useTexts(accessTexts);
  const add = useChange('operators.add');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  return (
    <FormDialog
      title={t('add')}
      submit={t('addSubmit')}
      run={() => add.mutateAsync({ email, password })}
      onClose={onClose}
    >
      <p>{t('note')}</p>
      <LineField label={t('email')} type="email" required value={email} onType={setEmail} />
      <NewPasswordField label={t('password')} hint={t('addHint')} value={password} onType={setPassword} />
    </FormDialog>
  );
}

function SetPassword({ email, onClose }: { email: string; onClose(): void }) {
  const t = useTexts(accessTexts);
  const change = useChange('people.password');
  const [password, setPassword] = useState('');
  return (
    <FormDialog
      title={t('passwordTitle', { email })}
      submit={t('save')}
      run={() => change.mutateAsync({ email, password })}
      onClose={onClose}
    >
      <p>{t('passwordText')}</p>
      <NewPasswordField
        label={t('password')}
        hint={t('passwordHint')}
        value={password}
        onType={setPassword}
      />
    </FormDialog>
  );
}

function RemoveOperator({ email, onClose }: { email: string; onClose(): void }) {
  const t = useTexts(accessTexts);
  const { person } = useSession();
  const remove = useChange('operators.remove');
  const [keeps, setKeeps] = useState(false);
  return (
    <ConfirmDialog
      title={t('removeTitle', { email })}
      confirm={t('remove')}
      danger
      run={() => remove.mutateAsync({ email, keep_tokens: keeps || undefined })}
      onClose={onClose}
    >
      <p>{t('removeText')}</p>
      {email === person.email && <p>{t('removeOwn')}</p>}
      <OwnedTokens owner={email} space={null} keeps={keeps} onKeep={setKeeps} />
    </ConfirmDialog>
  );
}
