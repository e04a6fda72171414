import { useState } from 'react';
import { Field, Form } from '../../parts/field.tsx';
import { useTexts } from '../../text/use-texts.ts';
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
      <Field label={t('email')}>
        {(control) => (
          <input
            {...control}
            type="email"
            autoComplete="username"
            required
            readOnly={fixed !== null}
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        )}
      </Field>
      <Field label={t('password')}>
        {(control) => (
          <input
            {...control}
            type="password"
            autoComplete={isNew ? 'new-password' : 'current-password'}
            required
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
      </Field>
      <button type="submit" className="main">
        {submit}
      </button>
    </Form>
  );
}
