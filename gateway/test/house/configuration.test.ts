/** The reference of the configuration, its schema for editors and the code that reads it are held to each other. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Compile } from 'typebox/compile';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { withConfiguration } from '../../scripts/describe-configuration.ts';
import { environmentVariables } from '../../src/app/environment-variables.ts';
import { readSettings } from '../../src/app/settings.ts';
import { TEMPLATE } from '../../src/cli/serve/init.ts';
import { parseConfig } from '../../src/config/config-file.ts';
import { configKeys } from '../../src/config/config-keys.ts';
import { configSchema } from '../../src/config/config-schema.ts';
import { renderChart } from '../support/helm-chart.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const keys = configKeys();
/** Their blocks of YAML are plans of administration, and settings of coding agents. */
const OTHER_FILES = ['administration.md', 'agents.md'];
/** Examples of `tollgate.yaml` in the documents: all blocks of YAML, but those of another file. */
const documented = readdirSync(join(root, 'docs'))
  .filter((file) => file.endsWith('.md') && !OTHER_FILES.includes(file))
  .flatMap((file) =>
    [...read(`docs/${file}`).matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text = ''], i) => ({
      file,
      number: i + 1,
      // An entry of prices, shown as it is in a file.
      text: /^ {4}\S/.test(text) ? `prices:\n  version: v1\n  models:\n${text}` : text,
    })),
  )
  // The line that names the schema.
  .filter(({ text }) => !/^#.*\n$/.test(text));
const AGAIN = 'Run "npm run docs" to write it again.';

describe('configuration.md', () => {
  test('has every key and every variable as the code has them, and no other', () => {
    const document = read('docs/configuration.md');
    expect(document, AGAIN).toBe(withConfiguration(document));
    for (const { path } of keys) expect(document).toContain(`\`${path}\``);
  });

  test('says what every key means, and has an example of every value', () => {
    for (const key of keys) {
      expect(key.meaning, key.path).not.toBe('');
      const grouping = ['section', 'entries by name', 'list of section'].includes(key.type) && !key.example;
      if (grouping) continue;
      expect(key.example, key.path).not.toBeNull();
      if (!key.required) expect(key.default, key.path).not.toBeNull();
    }
  });

  test('names every environment variable that the program reads, and no other', () => {
    const folder = join(root, 'gateway');
    const files = ['src', 'bin'].flatMap((room) =>
      readdirSync(join(folder, room), { recursive: true, encoding: 'utf8' }).map((file) => join(room, file)),
    );
    const sources = files.filter((file) => /\.[jt]s$/.test(file) && !file.endsWith('.test.ts'));
    const used = sources.flatMap((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(/\benv\.([A-Z][A-Z0-9_]+)/g)].map(
        ([, name]) => name,
      ),
    );
    const proxies = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'];
    // Their names are put together, or passed on.
    const traces = ['ENDPOINT', 'HEADERS', 'TIMEOUT', 'PROTOCOL'].flatMap((what) => [
      `OTEL_EXPORTER_OTLP_${what}`,
      `OTEL_EXPORTER_OTLP_TRACES_${what}`,
    ]);
    const spans = ['OTEL_BSP_SCHEDULE_DELAY', 'OTEL_BSP_MAX_QUEUE_SIZE'];
    const named = environmentVariables.map(({ name }) => name);
    expect([...named].sort()).toEqual([...new Set([...used, ...proxies, ...traces, ...spans])].sort());
    const paths = keys.map(({ path }) => path);
    for (const { replaces } of environmentVariables) if (replaces !== null) expect(paths).toContain(replaces);
  });

  test('states the defaults that a server without settings has', () => {
    const settings = readSettings({}, {}, { file: '', demo: false, content: { providers: {}, models: {} } });
    const stated = (path: string): string => String(keys.find((key) => key.path === path)?.default);
    const { host, port, opsHost, opsPort, trustProxy, resolveAddresses, signIn, limits } = settings;
    expect({ host, port, opsHost, opsPort, trustProxy, resolveAddresses }).toEqual({
      host: stated('server.host'),
      port: Number(stated('server.port')),
      opsHost: stated('server.ops_host'),
      opsPort: Number(stated('server.ops_port')),
      trustProxy: stated('server.trust_proxy') === 'true',
      resolveAddresses: stated('server.resolve_addresses') === 'true',
    });
    expect(signIn.password).toBe(stated('sign_in.password') === 'true');
    expect(limits.jsonBodyBytes).toBe(Number(stated('limits.json_body_bytes')));
    expect(limits.bytesInFlightPerKey).toBe(Number(stated('limits.bytes_in_flight_per_key')));
  });
});

describe('the schema for editors', () => {
  const schema = configSchema();
  const validator = Compile(schema);

  test('is the one that the checkout has', () => {
    expect(read('deploy/tollgate.schema.json'), AGAIN).toBe(`${JSON.stringify(schema, null, 2)}\n`);
  });

  test.each<readonly [string, string]>([
    ['the file of init', TEMPLATE],
    ['the demo', read('gateway/demo/tollgate.yaml')],
    ['deploy/compose/tollgate.yaml', read('deploy/compose/tollgate.yaml')],
    [
      'the file in docs/deploying.md',
      /tollgate\.yaml >\S+ <<'END'\n(.*?)\nEND\n/s.exec(read('docs/deploying.md'))?.[1] ?? '',
    ],
    ...documented.map(({ file, number, text }) => [`example ${number} of ${file}`, text] as const),
  ])('accepts %s, as an editor reads it', (_, text) => {
    const value = parse(text, { merge: true }) as object;
    expect(Object.keys(value)).not.toEqual([]);
    expect([...validator.Errors({ providers: {}, models: {}, ...value })]).toEqual([]);
  });

  test.each([
    ['its defaults', {}],
    ['a whole configuration', { config: parse(read('deploy/compose/tollgate.yaml')) }],
  ])('accepts the config map of the Helm chart with %s', (_, changes) => {
    const { manifests } = renderChart(join(root, 'deploy/helm/tollgate'), {
      existingSecret: 's',
      ...changes,
    });
    const { data } = manifests.find(({ kind }) => kind === 'ConfigMap') as unknown as {
      data: Record<string, string>;
    };
    const text = data['tollgate.yaml'] as string;
    expect([...validator.Errors(parse(text))]).toEqual([]);
    expect(parseConfig(text, { env: {} }).problems.found).toEqual([]);
  });

  const small = { providers: { a: { dialect: 'openai', base_url: 'https://a' } }, models: {} };

  test.each([
    ['a number as a variable', { server: { port: '${PORT:-8080}' } }, true],
    ['a price as a number', { prices: { version: 1, models: { a: { input: 0.25 } } } }, true],
    ['a negative price', { prices: { version: 1, models: { a: { input: -1 } } } }, false],
    ['an unknown key', { server: { prot: 1 } }, false],
    ['a port that is a word', { server: { port: 'http' } }, false],
    ['batch: true', { models: { a: { batch: true, routes: [{ provider: 'a', model: 'm' }] } } }, true],
    ['a model without routes', { models: { a: {} } }, false],
  ])('judges %s', (_, part, valid) => {
    expect(validator.Check({ ...small, ...part })).toBe(valid);
  });

  test('accepts every example of the reference that the gateway accepts', () => {
    for (const { path, example } of keys) {
      if (example === null || /[<[]/.test(path) || path.startsWith('prices')) continue;
      const [section = '', key = ''] = path.split('.');
      const required = { s3: ['bucket', 'b'], money: ['currency', 'EUR'] }[section] ?? [key];
      const more = required[0] === key ? '' : `  ${required.join(': ')}\n`;
      const text = `providers: {}\nmodels: {}\n${section}:\n${more}  ${key}: ${example}\n`;
      if (['provider_prices', 'sign_in', 'smtp'].includes(section)) continue;
      const env = { DATABASE_URL: 'postgres://h/d', REDIS_URL: 'redis://h' };
      expect(parseConfig(text, { env }).problems.found, text).toEqual([]);
      expect([...validator.Errors(parse(text))], text).toEqual([]);
    }
  });
});
