import { useState } from 'react';
import { Form } from '../../parts/field.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { useTexts } from '../../text/say.ts';
import { signInTexts } from './texts.ts';

interface PasswordFormProps {
  /** Of somebody who is invited: they choose their password. */
  readonly email: string | null;
  /** Whether they choose their password; default: if their address is given. */
  readonly isNew?: boolean;
  readonly submit: string;
  onSubmit(fields: { email: string; password: string }): void;
}

export function PasswordForm({ email: fixed, isNew = fixed !== null, submit, onSubmit }: PasswordFormProps) {
  const t = useTexts(signInTexts);
  const [email, setEmail] = useState(fixed ?? '');
  const [password, setPassword] = useState('');
  return (
    <Form onSubmit={() => onSubmit({ email, password })}>
      <LineField
        label={t('email')}
        type="email"
        autoComplete="username"
        required
        readOnly={fixed !== null}
        value={email}
        onType={setEmail}
      />
      <LineField
        label={t('password')}
        type="password"
        autoComplete={isNew ? 'new-password' : 'current-password'}
        required
        value={password}
        onType={setPassword}
      />
      <button type="submit" className="main">
        {submit}
      </button>
    </Form>
  );
}
