/**
 * Runs the part of Go's text/template that deploy/helm uses: fields, variables, pipelines, if, with, range, define.
 * Anything else is an error, so that the chart cannot use what this does not know.
 */
import { callFunction, isTruthy, printed } from './go-template-functions.ts';

interface Token {
  readonly action: boolean;
  readonly text: string;
}
type Node =
  | { kind: 'text'; text: string }
  | { kind: 'print'; pipeline: string }
  | { kind: 'branch'; word: string; pipeline: string; then: Node[]; otherwise: Node[] }
  | { kind: 'range'; names: readonly [string, string]; pipeline: string; body: Node[] };
interface Scope {
  readonly dot: unknown;
  readonly variables: Readonly<Record<string, unknown>>;
}

const ACTION = /\{\{(- )?\s*(\/\*[\s\S]*?\*\/|(?:"(?:\\.|[^"\\])*"|[^"}])*?)\s*( -)?\}\}/g;
const WORD = /"(?:\\.|[^"\\])*"|[()|]|[^\s()|]+/g;
const RANGE = /^\$(\w+), \$(\w+) := (.+)$/;

/** Templates that include each other by name. */
export class GoTemplates {
  readonly #defined = new Map<string, Node[]>();

  /** Keeps what the text defines, and returns how the rest is rendered. */
  add(text: string): (data: unknown) => string {
    const tokens = tokensOf(text);
    const nodes = this.#parse(tokens);
    if (tokens.length > 0) throw new Error(`"${tokens[0]?.text}" ends no block`);
    return (data) => this.#run(nodes, { dot: data, variables: { $: data } });
  }

  /** Up to the `else` or `end` that belongs to somebody above. */
  #parse(tokens: Token[]): Node[] {
    const nodes: Node[] = [];
    for (let token = tokens[0]; token !== undefined; token = tokens[0]) {
      if (token.action && /^(?:else|end)\b/.test(token.text)) break;
      tokens.shift();
      if (!token.action) nodes.push({ kind: 'text', text: token.text });
      else if (!token.text.startsWith('/*')) nodes.push(...this.#action(token.text, tokens));
    }
    return nodes;
  }

  #action(text: string, tokens: Token[]): Node[] {
    const [, word = '', rest = ''] = /^(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
    if (word === 'if' || word === 'with') return [this.#branch(word, rest, tokens)];
    if (word === 'define') {
      this.#defined.set(JSON.parse(rest) as string, this.#parse(tokens));
      expectEnd(tokens);
      return [];
    }
    if (word === 'range') {
      const [, key, value, pipeline] = RANGE.exec(rest) ?? [];
      if (key === undefined || value === undefined || pipeline === undefined)
        throw new Error(`range ${rest}`);
      const body = this.#parse(tokens);
      expectEnd(tokens);
      return [{ kind: 'range', names: [key, value], pipeline, body }];
    }
    if (/^(?:template|block|break|continue)\b|^\$\w+ :?=/.test(text))
      throw new Error(`${text} is not supported`);
    return [{ kind: 'print', pipeline: text }];
  }

  #branch(word: string, pipeline: string, tokens: Token[]): Node {
    const then = this.#parse(tokens);
    const next = tokens.shift()?.text;
    if (next === 'end') return { kind: 'branch', word, pipeline, then, otherwise: [] };
    if (next === 'else') {
      const otherwise = this.#parse(tokens);
      expectEnd(tokens);
      return { kind: 'branch', word, pipeline, then, otherwise };
    }
    const [, elseWord = '', elsePipeline = ''] = /^else (if) (.+)$/.exec(next ?? '') ?? [];
    if (elseWord === '') throw new Error(`"${word} ${pipeline}" has no end`);
    return {
      kind: 'branch',
      word,
      pipeline,
      then,
      otherwise: [this.#branch(elseWord, elsePipeline, tokens)],
    };
  }

  #run(nodes: readonly Node[], scope: Scope): string {
    return nodes.map((node) => this.#render(node, scope)).join('');
  }

  #render(node: Node, scope: Scope): string {
    if (node.kind === 'text') return node.text;
    const value = this.#evaluate(wordsOf(node.pipeline), scope);
    if (node.kind === 'print') return printed(value);
    if (node.kind === 'branch') {
      if (!isTruthy(value)) return this.#run(node.otherwise, scope);
      return this.#run(node.then, node.word === 'with' ? { ...scope, dot: value } : scope);
    }
    const [key, item] = node.names;
    // Go walks the keys of a map in their order.
    const entries = Object.entries((value ?? {}) as object).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return entries
      .map(([name, each]) => {
        const variables = { ...scope.variables, [`$${key}`]: name, [`$${item}`]: each };
        return this.#run(node.body, { dot: each, variables });
      })
      .join('');
  }

  /** A whole pipeline: the value of each command is the last argument of the next. Takes its words. */
  #evaluate(words: string[], scope: Scope): unknown {
    let value = this.#command(words, scope, []);
    while (words[0] === '|') {
      words.shift();
      value = this.#command(words, scope, [value]);
    }
    return value;
  }

  #command(words: string[], scope: Scope, piped: unknown[]): unknown {
    const [first = ''] = words;
    const isCall = /^[a-z]\w*$/i.test(first) && !['true', 'false', 'nil'].includes(first);
    if (!isCall && piped.length === 0) return this.#operand(words, scope);
    if (!isCall) throw new Error(`${first} is not a function`);
    words.shift();
    const args: unknown[] = [];
    while (words.length > 0 && words[0] !== '|' && words[0] !== ')') args.push(this.#operand(words, scope));
    return this.#call(first, [...args, ...piped]);
  }

  #call(name: string, args: unknown[]): unknown {
    if (name !== 'include') return callFunction(name, args);
    const [template, data] = args as [string, unknown];
    const nodes = this.#defined.get(template);
    if (nodes === undefined) throw new Error(`there is no template "${template}"`);
    return this.#run(nodes, { dot: data, variables: { $: data } });
  }

  #operand(words: string[], scope: Scope): unknown {
    const word = words.shift() ?? '';
    if (word === '(') {
      const value = this.#evaluate(words, scope);
      if (words.shift() !== ')') throw new Error('a bracket is not closed');
      return value;
    }
    if (word.startsWith('"')) return JSON.parse(word);
    if (/^-?\d+$/.test(word)) return Number(word);
    if (word === 'true' || word === 'false') return word === 'true';
    const [, variable = '', path = ''] = /^(\$\w*)?((?:\.\w+)+|\.?)$/.exec(word) ?? [];
    if (variable === '' && path === '') throw new Error(`${word} is not supported`);
    if (variable !== '' && !(variable in scope.variables)) throw new Error(`${variable} is not defined`);
    const start = variable === '' ? scope.dot : scope.variables[variable];
    return path.split('.').filter(Boolean).reduce(fieldOf, start);
  }
}

/** As in Helm: a missing key of a map is nothing, but nothing has no fields. */
function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) throw new Error(`nil pointer: .${name}`);
  return (value as Record<string, unknown>)[name];
}

function expectEnd(tokens: Token[]): void {
  if (tokens.shift()?.text !== 'end') throw new Error('a block has no end');
}

function wordsOf(pipeline: string): string[] {
  return [...(pipeline.match(WORD) ?? [])];
}

/** `{{-` and `-}}` take the white space beside them away. */
function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let from = 0;
  let isTrimmed = false;
  const addText = (raw: string, trimEnd: boolean): void => {
    const start = isTrimmed ? raw.trimStart() : raw;
    tokens.push({ action: false, text: trimEnd ? start.trimEnd() : start });
  };
  for (const match of text.matchAll(ACTION)) {
    addText(text.slice(from, match.index), match[1] !== undefined);
    tokens.push({ action: true, text: (match[2] ?? '').trim() });
    isTrimmed = match[3] !== undefined;
    from = match.index + match[0].length;
  }
  addText(text.slice(from), false);
  if (text.slice(from).includes('{{')) throw new Error(`cannot read ${text.slice(from)}`);
  return tokens;
}
