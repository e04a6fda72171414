/** What a rule says of itself. The rules are in rules.ts. */
import type { Right } from '../admin-endpoint.ts';

/** What a rule stands on. */
export type Holder = 'key' | 'member' | 'space';

/**
 * `amount`: units. `count`: a whole number. `models`: a list of models. Null is no limit. `date`: when something ends;
 * null: never. `switch`: on or off. `tags`: tags as text; null: none.
 */
export type RuleKind = 'amount' | 'count' | 'models' | 'date' | 'switch' | 'tags';

export interface RuleDeclaration {
  readonly kind: RuleKind;
  /** What its value means in answers, by what it stands on; what null means follows from the kind. Default: of a count. */
  readonly shown?: Readonly<Partial<Record<Holder, string>>>;
  /** Its column. Default: its name. */
  readonly column?: string;
  /** The column says since when a switch is on; null: it is off. */
  readonly since?: true;
  /** Its value where nothing was set. Default: null, and false for a switch. */
  readonly initial?: true;
  /** On these it always has a value: null cannot be set. */
  readonly always?: readonly Holder[];
  /** Its name in requests. Default: its name. */
  readonly input?: string;
  /** What a switch in a request is for. Default: what it means in answers. */
  readonly use?: string;
  /** Its name in the file of `plan`. Default: its name. */
  readonly plan?: string;
  /** What is typed on the command line, as its help says it. Left out: nothing is. */
  readonly typed?: string;
  /** Its option on the command line. Left out: it is an argument. */
  readonly option?: string;
}

/** The operation on what the rules stand on. */
export interface RuleOperation {
  /** A sentence. */
  readonly summary: string;
  /** What a caller of the API should know besides. Markdown. */
  readonly description: string;
  /** The help of the command. Default: the summary. */
  readonly help?: string;
  /** What is typed after the name in examples of the command. */
  readonly examples: readonly string[];
  /** Default: `admin`; for a space `operator`. */
  readonly right?: Right;
  /** Default: that of the setting. */
  readonly body?: RuleBody;
}

export interface RuleBody {
  /** The name of its schema. */
  readonly name: string;
  readonly about: string;
}

/** Rules that one operation sets, such as `keys.rate` and `members.rate`. */
export interface Setting {
  /** The last part of the path. */
  readonly path: string;
  /** The name in the OpenAPI document, where the name of the operation does not fit. */
  readonly operationId?: string;
  /** The body of the request. */
  readonly body?: RuleBody;
  /** Instead of a body: the operation of this name turns the rule on, and this one turns it off. */
  readonly off?: { readonly name: string; readonly summary: string; readonly description: string };
  readonly on: Readonly<Partial<Record<Holder, RuleOperation>>>;
  readonly rules: Readonly<Record<string, RuleDeclaration>>;
}
