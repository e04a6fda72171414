/** The counters of alerts. */
import { Counter, type Registry } from 'prom-client';

export class AlertMetrics {
  readonly #events: Counter<'kind'>;
  readonly #deliveries: Counter<'type' | 'result'>;

  constructor(registers: Registry[]) {
    this.#events = new Counter({
      name: 'tollgate_alert_events_total',
      help: 'Events that this process raised for somebody, by kind.',
      labelNames: ['kind'],
      registers,
    });
    this.#deliveries = new Counter({
      name: 'tollgate_alert_deliveries_total',
      help: 'Attempts to deliver alerts, by type of target and result: delivered, retried or given_up.',
      labelNames: ['type', 'result'],
      registers,
    });
  }

  raised(kind: string): void {
    this.#events.inc({ kind });
  }

  sent(type: string, result: string): void {
    this.#deliveries.inc({ type, result });
  }
}
