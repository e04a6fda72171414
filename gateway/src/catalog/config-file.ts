/** Reads `tollgate.yaml`: checks it against its shape, and the entries against each other. */
import { type Document, LineCounter, parseDocument } from 'yaml';
import { checkBothSides } from './check-both-sides.ts';
import { checkPrices } from './check-prices.ts';
import { ConfigError } from './config-error.ts';
import { positionOf } from './config-line.ts';
import { ConfigProblems } from './config-problems.ts';
import { ConfigFile } from './config-shape.ts';
import { type ConfigSources, type Environment, TextExpander } from './expand-text.ts';
import { readShape, UNREADABLE } from './read-shape.ts';
import { soundPart } from './sound-part.ts';

export interface ParsedConfig {
  /** Only the part that could be read, if there are problems. */
  readonly content: ConfigFile;
  /** What else is found out about the content is added here, and gets its place in the file. */
  readonly problems: ConfigProblems;
}

/** Throws an error that names everything that is wrong. */
export function readConfigFile(text: string, env: Environment): ConfigFile {
  const { content, problems } = parseConfig(text, { env });
  problems.throwAny();
  return content;
}

export function parseConfig(text: string, sources: ConfigSources): ParsedConfig {
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
  if (written === null) return { content: { providers: {}, models: {} }, problems };
  const leftOut = new Set<string>();
  const read = readShape(written, ConfigFile, '', { problems, expander, leftOut });
  const content = soundPart(read === UNREADABLE ? {} : (read as Partial<ConfigFile>), leftOut);
  if (content.prices !== undefined) checkPrices(content.prices.models, Object.keys(content.models), problems);
  checkBothSides(content, modelNames(written), problems);
  return { content, problems };
}

function modelNames(written: unknown): string[] {
  const { models } = written as { models?: unknown };
  return typeof models === 'object' && models !== null ? Object.keys(models) : [];
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
