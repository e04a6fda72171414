/** The dashboards and alerts of deploy/, with the queries in them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { parse } from 'yaml';
import { ownMetrics } from './own-metrics.ts';

export const deployFolder = fileURLToPath(new URL('../../../deploy/', import.meta.url));
export const alertsFile = join(deployFolder, 'prometheus/alerts.yaml');

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: {
    readonly summary: string;
    readonly description: string;
    readonly runbook_url: string;
  };
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly templating: {
    readonly list: ReadonlyArray<{ readonly name: string; readonly definition?: string }>;
  };
  readonly panels: ReadonlyArray<{
    readonly title: string;
    readonly targets?: ReadonlyArray<{ readonly expr: string }>;
  }>;
}

export function readAlerts(): AlertRule[] {
  const { groups } = parse(readFileSync(alertsFile, 'utf8')) as {
    groups: ReadonlyArray<{ rules: AlertRule[] }>;
  };
  return groups.flatMap(({ rules }) => rules);
}

export function readDashboards(): Array<Dashboard & { readonly file: string }> {
  const folder = join(deployFolder, 'grafana');
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return files.map((file) => ({
    file,
    ...(JSON.parse(readFileSync(join(folder, file), 'utf8')) as Dashboard),
  }));
}

export interface PanelQuery {
  readonly place: string;
  /** As Prometheus gets it, with values for Grafana's variables. */
  readonly expr: string;
}

export function panelQueries(): PanelQuery[] {
  return readDashboards().flatMap(({ file, panels }) =>
    panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => ({ place: `${file}: ${title}`, expr: withValues(expr) })),
    ),
  );
}

function withValues(expr: string): string {
  return expr.replaceAll('$__rate_interval', '1m').replace(/"\$\w+"/g, '".*"');
}

/** The names of metrics in a query: words that are not labels, functions or texts. */
export function metricNamesIn(query: string): string[] {
  const code = query
    .replace(/"(?:[^"\\]|\\.)*"/g, '""')
    .replace(/\{[^}]*\}/g, '{}')
    .replace(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, ' ')
    .replace(/\[[^\]]*\]/g, '');
  const words = [...code.matchAll(/(?<![\w$])[a-z_][a-z0-9_]*(?!\w|\s*\()/g)].map(([word]) => word);
  return words.filter(
    (word) => !['or', 'and', 'unless', 'offset', 'bool'].includes(word) && !/^\d/.test(word),
  );
}

/** Every name that a page of ours can have. Histograms are queried by their parts. */
export async function knownSeries(): Promise<Set<string>> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const metrics = [...(await ownMetrics().read()), ...(await registry.getMetricsAsJSON())];
  const names = metrics.flatMap(({ name, type }) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((part) => name + part) : [name],
  );
  // Those of a supervisor, and the one that Prometheus adds to every target.
  return new Set([...names, 'tollgate_processes_ready', 'tollgate_process_crashes_total', 'up']);
}
