/** Reads the metrics of a gateway as Prometheus does. */
import type { TestGateway } from './gateway.ts';

export interface ReadSeries {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export async function metricsOf(gateway: TestGateway, accept = 'text/plain'): Promise<Response> {
  const { metricsUrl } = await gateway.admin('status');
  return await fetch(metricsUrl as string, { headers: { accept } });
}

const LINE = /^([a-z0-9_]+)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

export function parseMetrics(page: string): ReadSeries[] {
  return page.split('\n').flatMap((line) => {
    const match = line.startsWith('#') ? null : LINE.exec(line);
    if (match === null) return [];
    const labels = [...(match[2] ?? '').matchAll(LABEL)].map((label) => [label[1], label[2]]);
    return [{ name: match[1] ?? '', labels: Object.fromEntries(labels), value: Number(match[3]) }];
  });
}

/** The sum of all series with these labels; null if there is none. */
export function sumOf(
  series: readonly ReadSeries[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | null {
  const found = series.filter(
    (one) =>
      one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value),
  );
  return found.length === 0 ? null : found.reduce((sum, { value }) => sum + value, 0);
}
