/** Reads the text of a YAML file. What is wrong, also what is found out later, gets its line and column. */
import { type Document, LineCounter, parseDocument } from 'yaml';
import { ConfigError } from './config-error.ts';
import { positionOf } from './config-line.ts';
import { ConfigProblems } from './config-problems.ts';
import { type ConfigSources, TextExpander } from './expand-text.ts';

export interface WrittenYaml {
  /** Every scalar is a text, with its variables; null: not YAML. */
  readonly written: unknown;
  readonly expander: TextExpander;
  readonly problems: ConfigProblems;
}

export function readYaml(text: string, sources: ConfigSources): WrittenYaml {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    schema: 'failsafe',
    merge: true,
    lineCounter: lines,
    prettyErrors: true,
  });
  const expander = new TextExpander(sources);
  const problems = new ConfigProblems({
    locate: (path) => positionOf(document, lines, path),
    mask: (message) => expander.mask(message),
  });
  addSyntaxErrors(document, problems);
  const written = problems.found.length > 0 ? null : problems.attempt(() => plainContent(document));
  return { written, expander, problems };
}

/** Without what the parser quotes from the file, which may be a secret. */
function addSyntaxErrors({ errors }: Document, problems: ConfigProblems): void {
  for (const { message, linePos } of errors) {
    const [reason = ''] = message.split(/ at line \d+|: "|\n/);
    const { line, col } = linePos?.[0] ?? { line: 1, col: 1 };
    const text = `not valid YAML: ${reason}`;
    problems.add(new ConfigError(text, '', [{ path: '', message: text, line, column: col }]));
  }
}

function plainContent(document: Document): unknown {
  try {
    return document.toJS() ?? {};
  } catch (error) {
    // An alias without its anchor, or more aliases than a sensible file has.
    throw new ConfigError(`not valid YAML: ${(error as Error).message}`);
  }
}
