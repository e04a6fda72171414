/** Reads the sections `alerts` and `smtp` of tollgate.yaml. */
import type { SmtpSettings } from '../alerts/send-mail.ts';
import type { AlertsEntry, SmtpEntry } from '../config/alerts-entry.ts';
import { smtpDefaults } from '../config/config-defaults.ts';
import { Secret } from '../kernel/secret.ts';

export interface AlertReach {
  /** Private hosts that webhooks may name. */
  readonly allowHosts: readonly string[];
  /** Null: no e-mail. */
  readonly smtp: SmtpSettings | null;
}

export function readAlertReach(alerts: AlertsEntry = {}, smtp?: SmtpEntry): AlertReach {
  return { allowHosts: alerts.allow_hosts ?? [], smtp: smtp === undefined ? null : readSmtp(smtp) };
}

function readSmtp({ host, port, tls = smtpDefaults.tls, user, password, from }: SmtpEntry): SmtpSettings {
  return {
    host,
    port: port ?? smtpDefaults.ports[tls],
    tls,
    user: user ?? null,
    password: password === undefined ? null : new Secret(password),
    from,
  };
}
