/** A labelled field for one line of text. */
import { type InputHTMLAttributes, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Field } from './field.tsx';

type InputProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onChange' | 'id' | 'list'>;

interface LineFieldProps extends InputProps {
  readonly label: string;
  readonly value: string;
  readonly hint?: ReactNode;
  /** Offered while typing. */
  readonly offers?: readonly string[];
  onType(value: string): void;
}

export function LineField({ label, value, hint, offers, onType, ...input }: LineFieldProps) {
  const listId = useId();
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <>
          <input
            {...control}
            {...input}
            {...(offers && { list: listId })}
            value={value}
            onChange={(event) => onType(event.target.value)}
          />
          {offers !== undefined && (
            <datalist id={listId}>
              {offers.map((offer) => (
                <option key={offer} value={offer} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

type PlainProps = Pick<LineFieldProps, 'label' | 'hint' | 'value' | 'onType'>;

/** The name of something, of the length that the API takes. */
export function NameField(props: PlainProps) {
  return <LineField {...props} required maxLength={120} />;
}

export function NewPasswordField(props: PlainProps) {
  return (
    <LineField
      {...props}
      type="password"
      autoComplete="new-password"
      required
      minLength={10}
      maxLength={200}
    />
  );
}

const PAUSE_MS = 300;

/** A filter that is applied when the person pauses, so that not every letter is a request. */
export function TypedFilter({ value, onType, ...field }: LineFieldProps) {
  const [typed, setTyped] = useState(value);
  const applied = useRef(value);
  const apply = useRef(onType);
  apply.current = onType;
  // The address changed elsewhere, such as by going back.
  useEffect(() => {
    if (value === applied.current) return;
    applied.current = value;
    setTyped(value);
  }, [value]);
  useEffect(() => {
    if (typed === applied.current) return;
    const timer = setTimeout(() => {
      applied.current = typed;
      apply.current(typed);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return <LineField {...field} type="search" value={typed} onType={setTyped} />;
}
