/**
 * Checks the input of an operation against its schema. The error names the field, shows what was given and says what
 * is allowed, taken from the field's `description`.
 */
import type { Static, TObject, TSchema } from 'typebox';
import { Shape } from '../contract/check-shape.ts';
import { Problem } from '../kernel/problem.ts';

const SHOWN_CHARACTERS_MAX = 80;

export class InputCheck<Input extends TObject> {
  readonly #operation: string;
  readonly #schema: Input;
  readonly #shape: Shape<Input>;
  readonly #required: readonly string[];

  /** `optional`: fields that may be left out although the schema requires them. */
  constructor(operation: string, schema: Input, { optional = [] }: { optional?: readonly string[] } = {}) {
    this.#operation = operation;
    this.#required = (schema.required ?? []).filter((name) => !optional.includes(name));
    this.#schema = { ...schema, required: [...this.#required] };
    this.#shape = new Shape(this.#schema);
  }

  checked(input: unknown): Static<Input> {
    if (this.#shape.matches(input)) return input;
    const [param, detail] = this.#fault(input);
    throw new Problem('invalid_parameter', { detail, param });
  }

  /** The name of the field and the sentence about it. */
  #fault(input: unknown): [field: string, detail: string] {
    if (typeof input !== 'object' || input === null || Array.isArray(input))
      return ['', `The input of ${this.#operation} must be an object.`];
    const given = new Map<string, unknown>(Object.entries(input));
    const fields = Object.entries(this.#schema.properties as Record<string, FieldSchema>);
    const unknown = [...given.keys()].find((name) => !fields.some(([field]) => field === name));
    if (unknown !== undefined) {
      const known =
        fields.length === 0 ? 'It takes no fields' : `Use ${fields.map(([name]) => name).join(', ')}`;
      return [unknown, `${shown(unknown)} is not a field of ${this.#operation}. ${known}.`];
    }
    for (const [name, schema] of fields) {
      const value = given.get(name);
      if (value === undefined) {
        if (this.#required.includes(name))
          return [name, `${name} is required; it must be ${allowedValues(schema)}.`];
      } else if (!new Shape(schema).matches(value)) {
        const what = schema.writeOnly === true ? name : `${name} ${shown(value)}`;
        return [name, `${what} is not valid: it must be ${allowedValues(schema)}.`];
      }
    }
    return ['', `The input of ${this.#operation} is not valid.`];
  }
}

/** What a field may say of itself beside its type. `writeOnly` marks a secret, which no error shows. */
interface FieldSchema extends TSchema {
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly writeOnly?: boolean;
}

/** As it follows "it must be": the first sentence of a description says which values are allowed. */
export function allowedValues(schema: FieldSchema): string {
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
  const [words = ''] = (schema.description ?? 'another value').split(/(?<=\.) (?=[A-Z])/);
  return `${words.charAt(0).toLowerCase()}${words.slice(1).replace(/\.$/, '')}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= SHOWN_CHARACTERS_MAX ? text : `${text.slice(0, SHOWN_CHARACTERS_MAX)}…`;
}
