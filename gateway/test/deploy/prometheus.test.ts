/** The alerts and dashboards of deploy/ in a real Prometheus that scrapes a real gateway. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { freePort } from '../support/free-port.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { alertsFile, panelQueries, readAlerts } from '../support/observability.ts';
import { BACKGROUND_PATIENCE, PATIENCE } from '../support/patience.ts';

const isInstalled = ['prometheus', 'promtool'].every(
  (program) => spawnSync(program, ['--version']).status === 0,
);
if (!isInstalled) {
  if (process.env.TOLLGATE_TEST_PROMETHEUS === 'required')
    throw new Error('prometheus and promtool are required, but were not found');
  process.stderr.write('Prometheus is not installed, so dashboards and alerts are not run.\n');
}

const casesFile = fileURLToPath(new URL('alert-cases.yaml', import.meta.url));

describe.skipIf(!isInstalled)('Prometheus', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-test-prometheus-'));
  let gateway: TestGateway;
  let prometheus: ChildProcess;
  let url: string;

  const query = async (expr: string): Promise<{ status: string; error?: string; found: number }> => {
    const asked = `${url}/api/v1/query?${new URLSearchParams({ query: expr })}`;
    const answer = (await (await fetch(asked)).json()) as {
      status: string;
      error?: string;
      data?: { result: unknown[] };
    };
    return {
      status: answer.status,
      ...(answer.error !== undefined && { error: answer.error }),
      found: answer.data?.result.length ?? 0,
    };
  };

  beforeAll(async () => {
    gateway = await startGateway();
    const { metricsUrl } = await gateway.admin('status');
    const target = new URL(metricsUrl as string).host.replace('localhost', '127.0.0.1');
    const settings = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [alertsFile],
      scrape_configs: [{ job_name: 'tollgate', static_configs: [{ targets: [target] }] }],
    };
    writeFileSync(join(folder, 'prometheus.yaml'), stringify(settings));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    prometheus = spawn(
      'prometheus',
      [
        `--config.file=${join(folder, 'prometheus.yaml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    );
  });
  afterAll(async () => {
    prometheus?.kill('SIGKILL');
    await gateway?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('accepts the alert rules', () => {
    const checked = execFileSync('promtool', ['check', 'rules', alertsFile], { encoding: 'utf8' });
    expect(checked).toContain(`${readAlerts().length} rules found`);
  });

  test('every alert fires in its case and is quiet before', () => {
    // The texts are templates; here only the conditions and the labels count.
    const rules = readAlerts().map((rule) => ({ ...rule, annotations: {} }));
    writeFileSync(join(folder, 'alerts.yaml'), stringify({ groups: [{ name: 'alerts', rules }] }));
    const cases = readFileSync(casesFile, 'utf8').replace('ALERTS_FILE', 'alerts.yaml');
    writeFileSync(join(folder, 'cases.yaml'), cases);
    const ran = spawnSync('promtool', ['test', 'rules', join(folder, 'cases.yaml')], { encoding: 'utf8' });
    expect({ status: ran.status, output: ran.stdout + ran.stderr }).toMatchObject({ status: 0 });
    const { tests } = parse(cases) as {
      tests: ReadonlyArray<{
        alert_rule_test: ReadonlyArray<{ alertname: string; exp_alerts?: readonly unknown[] }>;
      }>;
    };
    const named = tests.flatMap(({ alert_rule_test }) => alert_rule_test);
    for (const { alert } of readAlerts()) {
      const own = named.filter(({ alertname }) => alertname === alert);
      expect(
        own.some(({ exp_alerts = [] }) => exp_alerts.length > 0),
        `${alert} fires`,
      ).toBe(true);
      expect(
        own.some(({ exp_alerts = [] }) => exp_alerts.length === 0),
        `${alert} is quiet`,
      ).toBe(true);
    }
  });

  test('reads the page of a gateway, and every query of a dashboard can be run on it', async () => {
    const hello = { model: 'sim-chat', messages: [{ role: 'user', content: 'hello' }] };
    await (await gateway.chat(hello)).text();
    await (await gateway.chat({ ...hello, stream: true })).text();
    await vi.waitFor(async () => {
      expect(await query('tollgate_first_token_seconds_count')).toMatchObject({ found: 1 });
      expect(await query('rate(tollgate_calls_total[1m])')).toMatchObject({ found: 1 });
    }, PATIENCE);
    // Between a scrape that took longer than its interval, as on a busy machine, and the next one everything is empty.
    await vi.waitFor(async () => {
      const answers = await Promise.all(
        panelQueries().map(async ({ place, expr }) => ({ place, ...(await query(expr)) })),
      );
      for (const { place, status, error } of answers)
        expect({ place, status, error }).toEqual({ place, status: 'success', error: undefined });
      const empty = answers.filter(({ found }) => found === 0).map(({ place }) => place);
      // Without failures, batches, repeats and a supervisor some panels are empty, but most are not.
      expect(empty.length, empty.join('\n')).toBeLessThan(answers.length / 2);
    }, BACKGROUND_PATIENCE);
    await vi.waitFor(async () => expect(await query('up == 1')).toMatchObject({ found: 1 }), PATIENCE);
  });
});
