/** A filter of a list, kept in the address: one of some values, or any of them. */
import { Choice } from '../parts/field.tsx';
import { useSearchState } from './use-search.ts';

interface FilterChoiceProps<Value extends string> {
  /** In the address. */
  readonly name: string;
  readonly label: string;
  /** What no choice is called. */
  readonly any: string;
  readonly values: readonly Value[];
  /** Default: the value itself. */
  labelOf?(value: NoInfer<Value>): string;
}

export function FilterChoice<Value extends string>(props: FilterChoiceProps<Value>) {
  const { name, label, any, values, labelOf = String } = props;
  const [search, change] = useSearchState();
  return (
    <Choice
      label={label}
      value={values.find((one) => one === search[name]) ?? ''}
      values={['', ...values]}
      labelOf={(value) => (value === '' ? any : labelOf(value))}
      onChoose={(value) => change({ [name]: value || undefined })}
    />
  );
}
