/** Reads `tollgate.yaml`: checks it against its shape, and the entries against each other. */
import { checkBothSides } from '../price-sheets/check-both-sides.ts';
import { checkPrices } from '../price-sheets/check-prices.ts';
import { moneyForm } from '../price-sheets/money-entry.ts';
import { priceForm } from '../price-sheets/price-entry.ts';
import type { ConfigProblems } from '../yaml/config-problems.ts';
import type { ConfigSources, Environment } from '../yaml/expand-text.ts';
import { readShape, UNREADABLE } from '../yaml/read-shape.ts';
import { readYaml } from '../yaml/read-yaml.ts';
import { ConfigFile } from './config-shape.ts';
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
  const { written, expander, problems } = readYaml(text, sources);
  if (written === null) return { content: { providers: {}, models: {} }, problems };
  const leftOut = new Set<string>();
  const read = readShape(written, ConfigFile, '', { problems, expander, leftOut, wantedForm });
  const content = soundPart(read === UNREADABLE ? {} : (read as Partial<ConfigFile>), leftOut);
  if (content.prices !== undefined) checkPrices(content.prices.models, Object.keys(content.models), problems);
  checkBothSides(content, modelNames(written), problems);
  return { content, problems };
}

function modelNames(written: unknown): string[] {
  const { models } = written as { models?: unknown };
  return typeof models === 'object' && models !== null ? Object.keys(models) : [];
}

/** A text of a wrong form in prices or rates, or a day. */
function wantedForm(path: string): string | null {
  if (/^(provider_)?prices\./.test(path)) return priceForm(path);
  if (path.startsWith('money.')) return moneyForm(path);
  return path.endsWith('.added') ? 'must be a day, such as 2026-11-16' : null;
}
