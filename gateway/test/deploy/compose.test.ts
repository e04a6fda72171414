/** deploy/compose.yaml and its files, as far as they can be checked without a container engine. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { defaultLimits } from '../../src/app/limits.ts';
import { CLOSE_MS_MAX } from '../../src/app/stop-plan.ts';
import { runCli } from '../support/run-cli.ts';
import { startS3, type TestS3 } from '../support/s3.ts';

interface Service {
  readonly image: string;
  readonly build?: { context: string; dockerfile: string };
  readonly command?: string[];
  readonly entrypoint?: string[];
  readonly environment?: Record<string, string>;
  readonly ports?: string[];
  readonly volumes?: string[];
  readonly configs?: Array<{ source: string; target: string }>;
  readonly healthcheck?: { test: string[] };
  readonly restart?: string;
  readonly read_only?: boolean;
  readonly stop_grace_period?: string;
  readonly depends_on?: Record<string, { condition: string }>;
}
interface Compose {
  readonly services: Record<string, Service>;
  readonly configs: Record<string, { file?: string; content?: string }>;
  readonly volumes: Record<string, null>;
}

const deploy = fileURLToPath(new URL('../../../deploy/', import.meta.url));
const gateway = fileURLToPath(new URL('../../', import.meta.url));
const text = readFileSync(join(deploy, 'compose.yaml'), 'utf8');
const compose = parse(text, { merge: true }) as Compose;
const services = Object.entries(compose.services);

test('every image has a version, and those of the product are built from the Dockerfile', () => {
  for (const [, { image, build }] of services) {
    expect(image).toMatch(/:v?\d+\.\d+(?:\.\d+)?$/);
    if (image.startsWith('tollgate:'))
      expect(existsSync(join(deploy, build?.context ?? '', build?.dockerfile ?? ''))).toBe(true);
  }
});

test('whatever a service waits for exists, and says whether it is healthy, or ends', () => {
  for (const [name, { depends_on: needs = {} }] of services)
    for (const [needed, { condition }] of Object.entries(needs)) {
      const service = compose.services[needed];
      expect(service, `${name} needs ${needed}`).toBeDefined();
      // The image of the product has a health check of its own.
      const checked = service?.healthcheck !== undefined || service?.image.startsWith('tollgate:');
      if (condition === 'service_healthy') expect(checked, needed).toBe(true);
      else expect(service?.restart, needed).toBe('no');
    }
});

test('mounted files, configurations and volumes exist', () => {
  for (const { file } of Object.values(compose.configs))
    if (file !== undefined) expect(existsSync(join(deploy, file)), file).toBe(true);
  for (const [, { volumes = [], configs = [] }] of services) {
    for (const { source } of configs) expect(compose.configs).toHaveProperty(source);
    for (const [source = ''] of volumes.map((volume) => volume.split(':')))
      if (source.startsWith('.')) expect(existsSync(join(deploy, source)), source).toBe(true);
      else expect(compose.volumes).toHaveProperty(source);
  }
});

test('only loopback addresses are published, and no secret is written down', () => {
  for (const [, { ports = [] }] of services) for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
  const asked = [...text.matchAll(/\$\{(\w+)/g)].map((match) => match[1]);
  const example = readFileSync(join(deploy, 'compose/env.example'), 'utf8');
  const offered = [...example.matchAll(/^(\w+)=(.*)$/gm)].map((match) => ({
    name: match[1],
    value: match[2],
  }));
  expect(new Set(offered.map(({ name }) => name))).toEqual(new Set(asked));
  for (const { name, value } of offered) if (!name?.endsWith('_URL')) expect(value).toBe('');
});

test('gateways have a read-only root, and longer to stop than they need', () => {
  const gateways = services.filter(([name]) => name.startsWith('gateway-'));
  expect(gateways).toHaveLength(2);
  for (const [, { read_only, stop_grace_period: grace = '' }] of gateways) {
    expect(read_only).toBe(true);
    expect(Number.parseInt(grace, 10) * 1_000).toBeGreaterThan(defaultLimits.drainMs + CLOSE_MS_MAX);
  }
});

test('its configuration is valid', async () => {
  const file = join(deploy, 'compose/tollgate.yaml');
  expect(await runCli(['config', 'check', file, '--json'])).toMatchObject({ code: 0 });
});

test('Prometheus asks both gateways, and Grafana finds its dashboards where they are mounted', () => {
  const scraped = parse(readFileSync(join(deploy, 'compose/prometheus.yaml'), 'utf8'));
  expect(scraped.scrape_configs[0].static_configs[0].targets).toEqual(['gateway-1:9464', 'gateway-2:9464']);
  const boards = parse(readFileSync(join(deploy, 'compose/grafana/dashboards/tollgate.yaml'), 'utf8'));
  const { path } = boards.providers[0].options;
  expect(compose.services.grafana?.volumes).toContain(`./grafana:${path}:ro`);
});

test('its proxy has the settings of deploy/haproxy, apart from TLS and addresses', () => {
  const settings = (file: string): string[] =>
    readFileSync(join(deploy, file), 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'))
      .filter(
        (line) => !/^(?:bind|server|resolvers|nameserver|hold|frontend http|ssl-|http-request) ?/.test(line),
      )
      .map((line) => line.replace(/ resolvers containers init-addr libc,none$/, ''));
  expect(settings('compose/haproxy.cfg')).toEqual(settings('haproxy/haproxy.cfg'));
});

describe('the bucket', () => {
  let s3: TestS3;
  let folder: string;
  beforeAll(async () => {
    s3 = await startS3();
    // Beside the packages, as in the image.
    folder = mkdtempSync(join(gateway, 'node_modules/.cache/tollgate-bucket-'));
    cpSync(join(deploy, 'compose/create-bucket.js'), join(folder, 'create-bucket.js'));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await s3?.stop();
  });

  test('is created once, and left alone afterwards', async () => {
    const env = { S3_BUCKET: 'made', S3_ENDPOINT: s3.endpoint, S3_REGION: 'us-east-1', HOME: tmpdir() };
    const credentials = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };
    const run = () => runCli([], { path: join(folder, 'create-bucket.js'), env: { ...env, ...credentials } });
    expect(await run()).toMatchObject({ code: 0, stdout: 'The bucket made was created.\n' });
    expect(await run()).toMatchObject({ code: 0, stdout: 'The bucket made exists.\n' });
  });
});
