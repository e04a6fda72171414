/** Renders a Helm chart: values over its defaults, checked against its schema, through its templates. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Compile } from 'typebox/schema';
import { parse, parseAllDocuments } from 'yaml';
import { GoTemplates } from './go-template.ts';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels: Record<string, string>;
    readonly annotations?: Record<string, string>;
  };
  readonly [field: string]: unknown;
}

export interface RenderedChart {
  readonly manifests: readonly Manifest[];
  readonly notes: string;
  /** By the name of the template. */
  readonly texts: Readonly<Record<string, string>>;
}

export function renderChart(folder: string, changes: object = {}): RenderedChart {
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const chart = parse(read('Chart.yaml')) as Record<string, string>;
  const values = merged(parse(read('values.yaml')), changes);
  const schema = Compile(JSON.parse(read('values.schema.json')));
  const [valid, errors] = schema.Errors(values);
  if (!valid)
    throw new Error(
      `values: ${JSON.stringify(errors.map(({ instancePath, message }) => [instancePath, message]))}`,
    );
  const data = {
    Values: values,
    Chart: { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion },
    Release: { Name: 'gateway', Namespace: 'models', Service: 'Helm' },
  };
  const templates = new GoTemplates();
  const files = readdirSync(join(folder, 'templates'));
  const renders = files.map((file) => [file, templates.add(read(join('templates', file)))] as const);
  const texts = Object.fromEntries(renders.map(([file, render]) => [file, render(data)]));
  const manifests = Object.entries(texts)
    .filter(([file]) => file.endsWith('.yaml'))
    .flatMap(([file, text]) => documentsOf(file, text));
  return { manifests, notes: texts['NOTES.txt'] ?? '', texts };
}

function documentsOf(file: string, text: string): Manifest[] {
  return [...parseAllDocuments(text)].flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw new Error(`${file}: ${error.message}\n${text}`);
    const content = document.toJS() as Manifest | null;
    return content === null ? [] : [content];
  });
}

/** As Helm does: maps key by key, anything else is replaced. */
function merged(base: unknown, changes: unknown): unknown {
  const isMap = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isMap(base) || !isMap(changes)) return changes ?? base;
  const keys = new Set([...Object.keys(base), ...Object.keys(changes)]);
  return Object.fromEntries(
    [...keys].map((key) => [key, key in changes ? merged(base[key], changes[key]) : base[key]]),
  );
}
