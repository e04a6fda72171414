/** The signed-in person: their spaces, and their password. */
import { useState } from 'react';
import type { PasswordChanged } from '../../../../gateway/src/contract/console.ts';
import { send } from '../../api/ask-console.ts';
import { PlainTable } from '../../parts/data-table.tsx';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { Form } from '../../parts/field.tsx';
import { LineField, NewPasswordField } from '../../parts/line-field.tsx';
import { Card, Figure, Figures, Page } from '../../parts/page.tsx';
import { useRun } from '../../parts/use-run.ts';
import { useSession } from '../../session/session.ts';
import { useTexts } from '../../text/say.ts';
import { accountTexts } from './texts.ts';

export function AccountPage() {
  const t = useTexts(accountTexts);
  const { person, spaces } = useSession();
  return (
    <Page title={t('title')} intro={t('intro')}>
      <Card>
        <Figures>
          <Figure name={t('email')}>{person.email}</Figure>
          <Figure name={t('name')}>{person.nickname}</Figure>
        </Figures>
      </Card>
      <Card title={t('spaces')}>
        <PlainTable
          caption={t('spaces')}
          rows={spaces}
          rowKey={({ id }) => id}
          columns={[
            { key: 'name', title: t('space'), as: 'text' },
            { key: 'role', title: t('role'), cell: ({ role }) => t(role) },
          ]}
        />
      </Card>
      <PasswordCard />
    </Page>
  );
}

function PasswordCard() {
  const t = useTexts(accountTexts);
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const { error, run } = useRun();
  const [ended, setEnded] = useState<number | null>(null);
  const change = async (): Promise<void> => {
    setEnded(null);
    const body = { ...(current !== '' && { current_password: current }), new_password: next };
    const changed = (await send('POST', '/api/console/password', { body })) as PasswordChanged;
    setEnded(changed.sessions_ended);
    setCurrent('');
    setNext('');
  };
  return (
    <Card title={t('password')}>
      <Form onSubmit={() => void run(change)}>
        <LineField
          label={t('current')}
          hint={t('currentHint')}
          type="password"
          autoComplete="current-password"
          value={current}
          onType={setCurrent}
        />
        <NewPasswordField label={t('next')} hint={t('nextHint')} value={next} onType={setNext} />
        <ThrownNote error={error} />
        <output>{ended === null ? '' : t('changed', { count: ended })}</output>
        <div>
          <button type="submit" className="main">
            {t('change')}
          </button>
        </div>
      </Form>
    </Card>
  );
}
