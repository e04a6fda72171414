/** deploy/grafana and deploy/prometheus use only metrics that exist, and every alert says what to do. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultLimits } from '../../src/app/limits.ts';
import {
  alertsFile,
  deployFolder,
  knownSeries,
  metricNamesIn,
  panelQueries,
  readAlerts,
  readDashboards,
} from '../support/observability.ts';

const alerts = readAlerts();
const dashboards = readDashboards();
const runbooks = readFileSync(join(deployFolder, '../docs/runbooks.md'), 'utf8');

test('metric names are found in queries, and nothing else', () => {
  const query =
    'histogram_quantile(0.95, sum by (le, model) (rate(a_bucket{model=~"$model"}[5m]))) > 15 or (b unless b offset 1h) / 3e2';
  expect(metricNamesIn(query)).toEqual(['a_bucket', 'b', 'b']);
});

test('every metric in a dashboard or an alert exists in the code', async () => {
  const known = await knownSeries();
  const queries = [
    ...panelQueries(),
    ...alerts.map(({ alert, expr }) => ({ place: alert, expr })),
    ...dashboards.flatMap(({ file, templating }) =>
      templating.list.flatMap(({ definition }) =>
        definition === undefined
          ? []
          : [{ place: file, expr: definition.replace(/^label_values\((\w+), \w+\)$/, '$1') }],
      ),
    ),
  ];
  expect(queries.length).toBeGreaterThan(80);
  for (const { place, expr } of queries) {
    const names = metricNamesIn(expr);
    expect(names.length, `${place}: ${expr}`).toBeGreaterThan(0);
    for (const name of names) expect(known.has(name), `${place} uses ${name}`).toBe(true);
  }
});

test('every metric of ours is in a dashboard', async () => {
  const shown = new Set(panelQueries().flatMap(({ expr }) => metricNamesIn(expr)));
  const base = (name: string): string => name.replace(/_(?:bucket|sum|count)$/, '');
  const bases = new Set([...shown].map(base));
  for (const name of await knownSeries())
    if (name.startsWith('tollgate_')) expect(bases.has(base(name)), name).toBe(true);
});

test('every alert has a section in runbooks.md that says where to look and what to do, and no other has one', () => {
  const sections = new Map(
    runbooks
      .split(/^### /m)
      .slice(1)
      .map((section) => [section.split('\n')[0]?.trim() ?? '', section]),
  );
  expect([...sections.keys()].sort()).toEqual(alerts.map(({ alert }) => alert).sort());
  for (const { alert, annotations } of alerts) {
    expect(annotations.runbook_url).toBe(`docs/runbooks.md#${alert.toLowerCase()}`);
    expect(sections.get(alert)).toMatch(/^- Look: /m);
    expect(sections.get(alert)).toMatch(/^- Do: /m);
  }
});

test('links between runbooks lead to sections that exist', () => {
  const anchors = [...runbooks.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title?.toLowerCase().replaceAll(' ', '-'),
  );
  for (const [, anchor] of runbooks.matchAll(/\]\(#([\w-]+)\)/g)) expect(anchors).toContain(anchor);
});

test('alerts have one of three severities and a text', () => {
  for (const { alert, labels, annotations } of alerts) {
    expect(['critical', 'warning', 'info'], alert).toContain(labels.severity);
    expect(annotations.summary.length, alert).toBeGreaterThan(10);
    expect(annotations.description.length, alert).toBeGreaterThan(10);
  }
});

test('a hold is too old only when the longest call must have ended', () => {
  const { callTotalMs, streamTotalMs, backgroundTotalMs } = defaultLimits;
  const longestSeconds = Math.max(callTotalMs, streamTotalMs, backgroundTotalMs) / 1000;
  const { expr } = alerts.find(({ alert }) => alert === 'TollgateHoldsOld') ?? { expr: '' };
  expect(Number(/ > (\d+)$/.exec(expr.trim())?.[1])).toBeGreaterThan(longestSeconds + 300);
});

test('dashboards have ids of their own and use the data source that is chosen', () => {
  expect(new Set(dashboards.map(({ uid }) => uid)).size).toBe(dashboards.length);
  expect(dashboards.map(({ file }) => file).sort()).toEqual(
    ['batches', 'money', 'one-call', 'overview', 'providers'].map((name) => `${name}.json`),
  );
  for (const { file } of dashboards) {
    const text = readFileSync(join(deployFolder, 'grafana', file), 'utf8');
    for (const [, uid] of text.matchAll(/"type": "prometheus",\s*"uid": "([^"]*)"/g))
      expect(uid).toBe('${datasource}');
  }
});

test('compose loads the alerts, and the scrape job has the name that they expect', () => {
  const settings = readFileSync(join(deployFolder, 'compose/prometheus.yaml'), 'utf8');
  expect(settings).toContain('/etc/prometheus/rules/*.yaml');
  expect(settings).toContain('job_name: tollgate\n');
  expect(readFileSync(alertsFile, 'utf8')).toContain('up{job="tollgate"}');
});
