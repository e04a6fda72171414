/** Reads the section `workload_identity` of tollgate.yaml. */
import type { WorkloadIssuer } from '../access/workloads/workload-issuer.ts';
import { workloadDefaults } from '../config/config-defaults.ts';
import type { WorkloadIdentityEntry, WorkloadIssuerEntry } from '../config/workload-identity-entry.ts';
import { isLoopback } from '../net/proxies.ts';
import { ConfigError } from '../yaml/config-error.ts';
import { ConfigProblems } from '../yaml/config-problems.ts';

const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;

export function readWorkloadIssuers(entry?: WorkloadIdentityEntry): WorkloadIssuer[] {
  const problems = new ConfigProblems();
  const issuers = (entry?.issuers ?? []).map((one, index) => readIssuer(one, index, problems));
  for (const [i, { name }] of issuers.entries()) {
    if (issuers.findIndex((other) => other.name === name) === i) continue;
    const path = `workload_identity.issuers[${i}].name`;
    problems.add(new ConfigError(`workload_identity.issuers has two issuers named ${name}.`, path));
  }
  problems.throwAny();
  return issuers;
}

function readIssuer(entry: WorkloadIssuerEntry, index: number, problems: ConfigProblems): WorkloadIssuer {
  const place = `workload_identity.issuers[${index}]`;
  const { name, issuer, audience, jwks_url, ca_file, token_file, algorithms, leeway_seconds } = entry;
  if (!NAME.test(name)) {
    const allowed = 'lower-case letters, digits and "-", at most 40 characters';
    const message = `${place}.name: ${JSON.stringify(name)} is not valid. Write ${allowed}.`;
    problems.add(new ConfigError(message, `${place}.name`));
  }
  problems.attempt(() => checkAddress(issuer, `${place}.issuer`));
  if (jwks_url !== undefined) problems.attempt(() => checkAddress(jwks_url, `${place}.jwks_url`));
  return {
    name,
    issuer,
    audience,
    jwksUrl: jwks_url ?? null,
    caFile: ca_file ?? null,
    tokenFile: token_file ?? null,
    algorithms: algorithms ?? workloadDefaults.algorithms,
    leewaySeconds: leeway_seconds ?? workloadDefaults.leewaySeconds,
  };
}

/** The server at this address decides who may call, so http is only for this machine. */
function checkAddress(text: string, place: string): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.hash + url.username + url.password !== '') {
    // Not shown, because it may contain a password.
    throw ConfigError.at(place, 'must be like https://token.example.com, without a user.');
  }
  if (url.protocol === 'https:' || isLoopback(url.hostname)) return;
  throw ConfigError.at(place, `is ${JSON.stringify(text)}. It must begin with https://.`);
}
