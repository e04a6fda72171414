/** A filter that is typed: it applies on Enter, when the field is left, or when a suggestion is chosen. */
import { useEffect, useState } from 'react';
import { LineField } from './line-field.tsx';

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
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const apply = (text: string): void => {
    if (text.trim() !== value) onApply(text.trim());
  };
  return (
    <LineField
      label={label}
      type={type}
      {...(type === 'datetime-local' && { step: 1 })}
      value={typed}
      placeholder={placeholder}
      autoComplete="off"
      spellCheck={false}
      {...(suggestions && { offers: suggestions })}
      onFocus={onEnter}
      onType={(text) => {
        setTyped(text);
        if (suggestions?.includes(text)) apply(text);
      }}
      onBlur={() => apply(typed)}
      onKeyDown={(event) => event.key === 'Enter' && apply(typed)}
    />
  );
}
