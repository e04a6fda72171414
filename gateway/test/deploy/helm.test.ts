/**
 * The Helm chart, rendered by test/support/go-template.ts, because Helm itself is not installed. TypeScript compares the
 * objects with the types of the Kubernetes API, which has no field that is not known there.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { defaultLimits } from '../../src/app/limits.ts';
import { CLOSE_MS_MAX } from '../../src/app/stop-plan.ts';
import { version } from '../../src/app/version.ts';
import { type Manifest, renderChart } from '../support/helm-chart.ts';
import { runCli } from '../support/run-cli.ts';

const chart = fileURLToPath(new URL('../../../deploy/helm/tollgate/', import.meta.url));
const cache = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));
const folder = mkdtempSync(join(cache, 'tollgate-helm-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const read = (file: string): string => readFileSync(join(chart, file), 'utf8');

const model = { capabilities: ['streaming'], routes: [{ provider: 'openai', model: 'gpt-5-mini' }] };
const price = { input: 0.25, output: 2 };
const config = {
  providers: {
    openai: { dialect: 'openai', base_url: 'https://api.openai.com/v1', api_key: '${OPENAI_API_KEY:-}' },
  },
  models: { 'gpt-5-mini': model },
  prices: { version: '1', models: { 'gpt-5-mini': price } },
};
const everything = {
  existingSecret: 'secrets',
  config,
  env: { S3_BUCKET: 'files', LOG_LEVEL: 'warn', RETRIES: 3 },
  image: { repository: 'registry.example.com/tollgate', tag: '9.9.9' },
  imagePullSecrets: [{ name: 'registry' }],
  ingress: { enabled: true, className: 'nginx', tlsSecret: 'tls', annotations: { a: 'b' } },
  autoscaling: { enabled: true },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  networkPolicy: {
    enabled: true,
    clients: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }],
    monitoring: [{ podSelector: { matchLabels: { app: 'prometheus' } } }],
  },
  serviceAccount: { annotations: { role: 'x' } },
  podAnnotations: { a: 'b' },
  podLabels: { team: 'x' },
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'gpu', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  priorityClassName: 'high',
  service: { type: 'LoadBalancer', annotations: { a: 'b' } },
};
const least = {
  existingSecret: 'secrets',
  migration: { enabled: false },
  podDisruptionBudget: { enabled: false },
  serviceAccount: { create: false },
};
const renders = {
  defaults: renderChart(chart, { existingSecret: 'secrets' }),
  everything: renderChart(chart, everything),
  least: renderChart(chart, least),
};

function only(kind: string, { manifests } = renders.everything): Manifest {
  const found = manifests.filter((manifest) => manifest.kind === kind);
  expect(found, kind).toHaveLength(1);
  return found[0] as Manifest;
}
/** A field far inside of an object. */
function at(value: unknown, path: string): unknown {
  return path.split('.').reduce((part, name) => (part as Record<string, unknown> | undefined)?.[name], value);
}
const kinds = ({ manifests }: { manifests: readonly Manifest[] }): string[] =>
  manifests.map(({ kind }) => kind).sort();

test('what is rendered depends on what is enabled', () => {
  expect(kinds(renders.least)).toEqual(['ConfigMap', 'Deployment', 'Service', 'Service']);
  expect(kinds(renders.defaults)).toEqual(
    [...kinds(renders.least), 'Job', 'PodDisruptionBudget', 'ServiceAccount'].sort(),
  );
  const more = ['HorizontalPodAutoscaler', 'Ingress', 'NetworkPolicy', 'ServiceMonitor'];
  expect(kinds(renders.everything)).toEqual([...kinds(renders.defaults), ...more].sort());
});

test('every object has only fields of the Kubernetes API, of the right type', () => {
  const objects = Object.values(renders).flatMap(({ manifests }) => manifests);
  expect(() => checkTypes(objects)).not.toThrow();
  const deployment = structuredClone(only('Deployment')) as unknown as { spec: { replicaz?: number } };
  deployment.spec.replicaz = 2;
  expect(() => checkTypes([deployment as unknown as Manifest])).toThrow(/replicaz/);
});

test('selectors find the pods of the deployment, and no pod of the migration', () => {
  const labels = at(only('Deployment'), 'spec.template.metadata.labels');
  const migration = at(only('Job'), 'spec.template.metadata.labels');
  const { manifests } = renders.everything;
  const selectors = [
    at(only('Deployment'), 'spec.selector.matchLabels'),
    at(only('PodDisruptionBudget'), 'spec.selector.matchLabels'),
    at(only('NetworkPolicy'), 'spec.podSelector.matchLabels'),
    ...manifests.filter(({ kind }) => kind === 'Service').map((service) => at(service, 'spec.selector')),
  ];
  for (const selector of selectors) {
    expect(labels).toMatchObject(selector as object);
    expect(migration).not.toMatchObject(selector as object);
  }
  const monitored = at(only('ServiceMonitor'), 'spec.selector.matchLabels') as object;
  const matching = manifests.filter(
    ({ kind, metadata }) => kind === 'Service' && includes(metadata.labels, monitored),
  );
  expect(matching.map(({ metadata }) => metadata.name)).toEqual(['gateway-tollgate-metrics']);
});

describe('a pod', () => {
  const pod = at(only('Deployment'), 'spec.template.spec') as Record<string, unknown>;
  const container = at(pod, 'containers.0') as Record<string, unknown>;

  test.each([
    [30_000, 40],
    [90_500, 101],
  ])('has time for a drain of %i ms and for the rest: %i s', (drainMs, seconds) => {
    const rendered = renderChart(chart, { existingSecret: 's', config: { limits: { drain_ms: drainMs } } });
    const grace = at(
      only('Deployment', rendered),
      'spec.template.spec.terminationGracePeriodSeconds',
    ) as number;
    expect(grace).toBe(seconds);
    expect(grace * 1_000).toBeGreaterThan(drainMs + CLOSE_MS_MAX);
  });

  test('is not root, writes only into volumes, and can gain no rights', () => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const mounts = (container.volumeMounts as Array<{ mountPath: string }>).map(({ mountPath }) => mountPath);
    expect(mounts).toEqual(['/etc/tollgate', '/data', '/tmp']);
  });

  test('is asked whether it started, is ready and lives, at ports that it has', () => {
    const paths = ['startupProbe', 'readinessProbe', 'livenessProbe'].map((probe) =>
      at(container, `${probe}.httpGet.path`),
    );
    expect(paths).toEqual(['/health', '/ready', '/health']);
    expect(container.ports).toEqual([
      { name: 'http', containerPort: 8080 },
      { name: 'metrics', containerPort: 9464 },
    ]);
  });

  test('gets secrets from the secret, and the rest as text', () => {
    expect(container.envFrom).toEqual([{ secretRef: { name: 'secrets' } }]);
    expect(container.env).toContainEqual({ name: 'RETRIES', value: '3' });
    expect(container.image).toBe('registry.example.com/tollgate:9.9.9');
  });

  test('is replaced when the configuration changes, and only then', () => {
    const sum = (values: object): unknown =>
      at(
        only('Deployment', renderChart(chart, { ...everything, ...values })),
        'spec.template.metadata.annotations.checksum/config',
      );
    expect(sum({ replicaCount: 5 })).toBe(sum({}));
    expect(sum({ config: { ...config, models: {} } })).not.toBe(sum({}));
  });
});

test('the configuration that is rendered is one that the gateway accepts', async () => {
  const file = join(folder, 'tollgate.yaml');
  writeFileSync(file, configOf(only('ConfigMap')));
  expect(await runCli(['config', 'check', file, '--json'])).toMatchObject({ code: 0 });
});

test('the database is migrated before an install and an upgrade, from the environment alone', () => {
  const job = only('Job');
  expect(job.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' });
  const container = at(job, 'spec.template.spec.containers.0') as Record<string, unknown>;
  expect((container.command as string[]).at(-1)).toMatch(/exec tollgate migrate$/);
  expect(container.envFrom).toEqual([{ secretRef: { name: 'secrets' } }]);
  expect(at(job, 'spec.template.spec.serviceAccountName')).toBeUndefined();
});

test.each([
  ['no secret', {}, /existingSecret is required/],
  ['an unknown value', { existingSecret: 's', replicas: 3 }, /replicas|additional/],
  ['a wrong type', { existingSecret: 's', replicaCount: 'two' }, /replicaCount/],
  ['a name that is no variable', { existingSecret: 's', env: { 'A-B': 'x' } }, /env/],
])('%s is rejected', (_, values, message) => {
  expect(() => renderChart(chart, values)).toThrow(message);
});

test('the notes say how to reach it, and warn if files would be lost', () => {
  expect(renders.everything.notes).toContain('https://gateway.example.com/v1/models');
  expect(renders.everything.notes).not.toContain('S3_BUCKET');
  expect(renders.defaults.notes).toContain('port-forward service/gateway-tollgate 8080:80');
  expect(renders.defaults.notes).toContain('set env.S3_BUCKET');
});

test('versions and defaults are those of the product', () => {
  expect(parse(read('Chart.yaml'))).toMatchObject({ version, appVersion: version });
  const { limits } = (parse(read('values.yaml')) as { config: { limits: Record<string, number> } }).config;
  expect(limits).toEqual({ drain_ms: defaultLimits.drainMs, shutdown_wait_ms: defaultLimits.shutdownWaitMs });
});

test('its README lists every value, and no other', () => {
  const part = /<!-- values:begin -->(.*?)<!-- values:end -->/s.exec(read('README.md'))?.[1] ?? '';
  const listed = [...part.matchAll(/^\| `([\w.]+)` \|/gm)].map((match) => match[1]);
  expect(listed.sort()).toEqual(namesOf(parse(read('values.yaml'))).sort());
});

/** Groups are listed by what they contain, except those that are content of something else. */
function namesOf(values: Record<string, unknown>): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value);
    const isContent = ['config', 'resources'].includes(name) || Object.keys(value as object).length === 0;
    return isGroup && !isContent
      ? namesOf(value as Record<string, unknown>).map((inner) => `${name}.${inner}`)
      : [name];
  });
}

function includes(labels: Record<string, string>, wanted: object): boolean {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
}

function configOf(configMap: Manifest): string {
  return (configMap.data as Record<string, string>)['tollgate.yaml'] as string;
}

/** Of an operator, so it is not part of the Kubernetes API. */
const SERVICE_MONITOR = `interface ServiceMonitor {
  apiVersion: 'monitoring.coreos.com/v1'; kind: 'ServiceMonitor'; metadata: ObjectMeta;
  spec: { selector: LabelSelector; endpoints: Array<{ port: string; path: string; interval: string }> };
}`;
const MODULES: Readonly<Record<string, string>> = {
  v1: 'core/v1',
  'apps/v1': 'apps/v1',
  'batch/v1': 'batch/v1',
  'autoscaling/v2': 'autoscaling/v2',
  'policy/v1': 'policy/v1',
  'networking.k8s.io/v1': 'networking/v1',
};

/** Throws with what TypeScript reports. */
function checkTypes(objects: readonly Manifest[]): void {
  const lines = objects.map((object, index) => {
    const module = MODULES[object.apiVersion];
    const type = module === undefined ? object.kind : `import('kubernetes-types/${module}').${object.kind}`;
    return `export const object${index}: ${type} = ${JSON.stringify(object)};`;
  });
  const file = join(folder, 'objects.ts');
  const imports = `import type { LabelSelector, ObjectMeta } from 'kubernetes-types/meta/v1';`;
  writeFileSync(file, [imports, SERVICE_MONITOR, ...lines].join('\n'));
  const flags = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
    '--types',
    '',
  ];
  try {
    execFileSync('npx', ['tsc', ...flags, file], { cwd: chart, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    throw new Error((error as { stdout: string }).stdout);
  }
}
