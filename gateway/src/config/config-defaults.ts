/**
 * The defaults of keys in `tollgate.yaml` other than limits. No schema here, because commands that start fast read it.
 */

export const serverDefaults = {
  host: '127.0.0.1',
  port: 8080,
  ops_host: '127.0.0.1',
  ops_port: 9464,
  trust_proxy: false,
  resolve_addresses: true,
  region: 'us-east-1',
} as const;

export const signInDefaults = {
  password: true,
  device: true,
  scopes: ['openid', 'email', 'profile'],
  claims: { email: 'email', name: 'name', groups: 'groups' },
  allowUnverifiedEmail: false,
} as const;

export const workloadDefaults = { algorithms: ['RS256', 'ES256'], leewaySeconds: 30 } as const;

export const meteringDefaults = {
  journal: 'none',
  journalCallsMax: 100_000,
  journalAgeMaxMs: 600_000,
  reserveBatches: true,
} as const;

/** Named as in the file: `contract/endpoint.ts` refers to them. */
export const apiDefaults = { file_lists: false } as const;

export const retentionDefaults = { errorsDays: 30, alertsDays: 90 } as const;

export const smtpDefaults = { tls: 'starttls', ports: { starttls: 587, tls: 465, none: 25 } } as const;
