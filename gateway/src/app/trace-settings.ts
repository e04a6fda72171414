/** Where traces go, from the environment variables of OpenTelemetry. Without an endpoint there are no traces. */

import { Secret } from '../kernel/secret.ts';
import type { SpanAttributes } from '../telemetry/trace.ts';
import { type SamplerSettings, samplerNames } from '../telemetry/traces/sampler.ts';
import type { Environment } from '../yaml/expand-text.ts';
import { SettingsError } from './settings.ts';

export interface TraceSettings {
  readonly url: string;
  readonly headers: ReadonlyArray<readonly [name: string, value: Secret]>;
  readonly timeoutMs: number;
  /** How long a span waits for others before it is sent. */
  readonly delayMs: number;
  readonly queueSpansMax: number;
  readonly resource: SpanAttributes;
  readonly sampler: SamplerSettings;
}

/** The defaults of OpenTelemetry. */
const TIMEOUT_MS = 10_000;
const DELAY_MS = 5_000;
const QUEUE_SPANS_MAX = 2_048;

export function readTraceSettings(env: Environment): TraceSettings | null {
  const url = readEndpoint(env);
  if (url === null || env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return null;
  if (env.OTEL_TRACES_EXPORTER === 'none') return null;
  checkExporter(env);
  const resource = readPairs('OTEL_RESOURCE_ATTRIBUTES', env.OTEL_RESOURCE_ATTRIBUTES || '');
  const name = env.OTEL_SERVICE_NAME || Object.fromEntries(resource)['service.name'] || 'tollgate';
  const headersVariable = ofTraces(env, 'HEADERS');
  return {
    url,
    headers: readPairs(headersVariable.name, headersVariable.value).map(([key, value]) => [
      key.toLowerCase(),
      new Secret(value),
    ]),
    timeoutMs: readCount(ofTraces(env, 'TIMEOUT'), TIMEOUT_MS),
    delayMs: readCount(variable(env, 'OTEL_BSP_SCHEDULE_DELAY'), DELAY_MS),
    queueSpansMax: readCount(variable(env, 'OTEL_BSP_MAX_QUEUE_SIZE'), QUEUE_SPANS_MAX),
    resource: { ...Object.fromEntries(resource), 'service.name': name },
    sampler: readSampler(env),
  };
}

/** The variable for traces wins over the one for all signals. */
function ofTraces(env: Environment, what: string): Variable {
  const own = variable(env, `OTEL_EXPORTER_OTLP_TRACES_${what}`);
  return own.value === '' ? variable(env, `OTEL_EXPORTER_OTLP_${what}`) : own;
}

interface Variable {
  readonly name: string;
  /** Empty if it is not set. */
  readonly value: string;
}

function variable(env: Environment, name: string): Variable {
  return { name, value: env[name] ?? '' };
}

function readEndpoint(env: Environment): string | null {
  const { name, value } = ofTraces(env, 'ENDPOINT');
  if (value === '') return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new SettingsError(`${name} must be an http or https URL, such as http://localhost:4318.`);
  }
  // The shared endpoint is a base address.
  if (name === 'OTEL_EXPORTER_OTLP_ENDPOINT') url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  return url.href;
}

function checkExporter(env: Environment): void {
  const exporter = env.OTEL_TRACES_EXPORTER || 'otlp';
  if (exporter !== 'otlp') {
    throw new SettingsError(`OTEL_TRACES_EXPORTER is ${JSON.stringify(exporter)}. It must be otlp or none.`);
  }
  const { name, value } = ofTraces(env, 'PROTOCOL');
  if (!['', 'http/json', 'http/protobuf'].includes(value)) {
    throw new SettingsError(
      `${name} is ${JSON.stringify(value)}. Traces are sent as http/json. Leave the variable out, and use the HTTP port of your collector, usually 4318.`,
    );
  }
}

function readCount({ name, value }: Variable, instead: number): number {
  if (value === '') return instead;
  const count = Number(value);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new SettingsError(`${name} is ${JSON.stringify(value)}. It must be a whole number above 0.`);
}

function readSampler(env: Environment): SamplerSettings {
  const name = env.OTEL_TRACES_SAMPLER || 'parentbased_always_on';
  const known = samplerNames.find((sampler) => sampler === name);
  if (known === undefined) {
    throw new SettingsError(
      `OTEL_TRACES_SAMPLER is ${JSON.stringify(name)}. It must be one of ${samplerNames.join(', ')}.`,
    );
  }
  const share = env.OTEL_TRACES_SAMPLER_ARG || '1';
  const ratio = Number(share);
  if (!known.endsWith('traceidratio') || (ratio >= 0 && ratio <= 1)) return { name: known, ratio };
  throw new SettingsError(
    `OTEL_TRACES_SAMPLER_ARG is ${JSON.stringify(share)}. It must be a number from 0 to 1.`,
  );
}

/** `key=value,key=value`, percent-encoded. The text is not shown in errors, because it may contain a key. */
function readPairs(name: string, text: string): Array<[string, string]> {
  return text
    .split(',')
    .filter((pair) => pair.trim() !== '')
    .map((pair) => {
      const at = pair.indexOf('=');
      const key = pair.slice(0, at).trim();
      if (at < 1 || key === '') throw new SettingsError(`${name} must be like key1=value1,key2=value2.`);
      try {
        return [key, decodeURIComponent(pair.slice(at + 1).trim())];
      } catch {
        throw new SettingsError(`${name} has a value for ${key} that is not percent-encoded correctly.`);
      }
    });
}
