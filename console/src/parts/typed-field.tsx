/** A filter that is typed: it applies on Enter, when the field is left, or when a suggestion is chosen. */
import { useEffect, useId, useState } from 'react';
import { Field } from './field.tsx';

interface TypedFieldProps {
  readonly label: string;
  /** Empty: no filter. */
  readonly value: string;
  readonly suggestions?: readonly string[];
  readonly placeholder?: string;
  readonly type?: 'text' | 'datetime-local';
  /** The field was entered, so that suggestions can be loaded. */
  onEnter?(): void;
  onApply(value: string): void;
}

export function TypedField(props: TypedFieldProps) {
  const { label, value, suggestions, placeholder, type = 'text', onEnter, onApply } = props;
  const listId = useId();
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const apply = (text: string): void => {
    if (text.trim() !== value) onApply(text.trim());
  };
  return (
    <Field label={label}>
      {(control) => (
        <>
          <input
            {...control}
            type={type}
            {...(type === 'datetime-local' && { step: 1 })}
            value={typed}
            placeholder={placeholder}
            autoComplete="off"
            spellCheck={false}
            {...(suggestions && { list: listId })}
            onFocus={onEnter}
            onChange={({ target }) => {
              setTyped(target.value);
              if (suggestions?.includes(target.value)) apply(target.value);
            }}
            onBlur={() => apply(typed)}
            onKeyDown={(event) => event.key === 'Enter' && apply(typed)}
          />
          {suggestions && (
            <datalist id={listId}>
              {suggestions.map((one) => (
                <option key={one} value={one} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}
