import { expect, test } from 'vitest';
import { readTraceSettings } from './trace-settings.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };

test.each([
  {},
  { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
  { ...endpoint, OTEL_SDK_DISABLED: 'true' },
  { ...endpoint, OTEL_TRACES_EXPORTER: 'none' },
])('%j turns traces off', (env) => expect(readTraceSettings(env)).toBeNull());

test.each([
  [endpoint, 'http://collector:4318/v1/traces'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c/base' }, 'https://c/base/v1/traces'],
  [{ ...endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://own:4318/x' }, 'http://own:4318/x'],
])('%j are sent to %s', (env, url) => expect(readTraceSettings(env)?.url).toBe(url));

test('headers are decoded and secret, the service has a name, and callers decide what is recorded', () => {
  const settings = readTraceSettings({
    ...endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20abc, x-org = 7',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=gate,k8s.pod.name=p1',
  });
  expect(settings?.headers.map(([name, value]) => [name, value.reveal()])).toEqual([
    ['authorization', 'Basic abc'],
    ['x-org', '7'],
  ]);
  expect(JSON.stringify(settings)).not.toContain('abc');
  expect(settings?.resource).toEqual({ 'service.name': 'gate', 'k8s.pod.name': 'p1' });
  expect(settings?.sampler).toEqual({ name: 'parentbased_always_on', ratio: 1 });
});

test.each([
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
    'OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL',
  ],
  [{ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'usually 4318'],
  [{ ...endpoint, OTEL_TRACES_EXPORTER: 'zipkin' }, 'It must be otlp or none'],
  [{ ...endpoint, OTEL_TRACES_SAMPLER: 'some' }, 'It must be one of always_on'],
  [
    { ...endpoint, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' },
    'It must be a number from 0 to 1',
  ],
  [{ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: 'secret' }, 'must be like key1=value1,key2=value2'],
  [{ ...endpoint, OTEL_BSP_SCHEDULE_DELAY: '-1' }, 'It must be a whole number above 0'],
])('%j is rejected: %s', (env, words) => expect(() => readTraceSettings(env)).toThrow(words));
