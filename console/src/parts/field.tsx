/** A field of a form: its label, what to type, and what is wrong with it. */
import { type ReactElement, type ReactNode, useId } from 'react';
import style from './field.module.css';

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | null | undefined;
  /** Draws the control with the id that the label names. */
  children(control: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }): ReactElement;
}

export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const noteId = `${id}-note`;
  const hasNote = hint !== undefined || error;
  return (
    <div className={style.field}>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        ...(hasNote && { 'aria-describedby': noteId }),
        ...(error && { 'aria-invalid': true as const }),
      })}
      {hasNote && (
        <p id={noteId} className={error ? style.error : style.hint}>
          {error || hint}
        </p>
      )}
    </div>
  );
}

/** The fields of a form below one another. */
export function Form({ children, onSubmit }: { children: ReactNode; onSubmit(): void }) {
  return (
    <form
      className={style.form}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}

export function Choice<Value extends string>(props: {
  label: string;
  value: NoInfer<Value>;
  values: readonly Value[];
  /** Default: the value itself. */
  labelOf?(value: NoInfer<Value>): string;
  hint?: ReactNode;
  onChoose(value: NoInfer<Value>): void;
}) {
  const { label, value, values, labelOf = String, hint, onChoose } = props;
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <select {...control} value={value} onChange={(event) => onChoose(event.target.value as Value)}>
          {values.map((one) => (
            <option key={one} value={one}>
              {labelOf(one)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** Filters of a list in one row. */
export function Filters({ children }: { children: ReactNode }) {
  return <div className={style.filters}>{children}</div>;
}
