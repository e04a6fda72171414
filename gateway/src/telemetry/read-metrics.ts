/** Metrics whose value is read when somebody asks for it. */
import { Gauge, type Metric, type Registry } from 'prom-client';
import type { MetricValue } from './series.ts';

interface Described {
  readonly name: string;
  readonly help: string;
}

export function gauge(name: string, help: string, read: () => number, registers: Registry[]): void {
  new Gauge({
    name,
    help,
    registers,
    collect() {
      this.set(read());
    },
  });
}

/** `read`: the value of each label value. */
export function gaugeBy<Label extends string>(
  { name, help, label }: Described & { readonly label: Label },
  read: () => Iterable<readonly [string, number]>,
  registers: Registry[],
): void {
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers,
    collect() {
      this.reset();
      for (const [value, number] of read()) this.set({ [label]: value } as Record<Label, string>, number);
    },
  });
}

/** `read`: numbers that only grow. */
export function counter(
  { name, help }: Described,
  read: () => readonly MetricValue[],
  registers: Registry[],
): void {
  const get = () => ({ name, help, type: 'counter', aggregator: 'sum', values: read() });
  for (const registry of registers) registry.registerMetric({ name, help, get } as unknown as Metric);
}
