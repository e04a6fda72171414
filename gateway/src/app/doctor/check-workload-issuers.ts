/** Whether the signing keys of each issuer of workloads can be read, in the way that tokens are verified. */
import { IssuerKeys } from '../../access/workloads/issuer-keys.ts';
import type { WorkloadIssuer } from '../../access/workloads/workload-issuer.ts';
import type { Clock } from '../../kernel/time.ts';
import type { Settings } from '../settings.ts';
import { bounded, type Finding, failure, fine } from './finding.ts';

export async function checkWorkloadIssuers(settings: Settings, clock: Clock): Promise<Finding[]> {
  const { workloadIssuers, proxies } = settings;
  const found = await Promise.all(workloadIssuers.map((issuer) => checkOne(issuer, { clock, proxies })));
  return found.flat();
}

async function checkOne(
  issuer: WorkloadIssuer,
  network: { clock: Clock; proxies: Settings['proxies'] },
): Promise<Finding[]> {
  const next =
    `Check issuer, jwks_url, ca_file and token_file of ${issuer.name} under workload_identity, DNS, the firewall and ` +
    'the proxy. Until its keys can be read, calls with its tokens are answered 503.';
  return await bounded(`workload issuer ${issuer.name}`, { clock: network.clock, next }, async () => {
    const { find } = await new IssuerKeys(issuer, network).check();
    const { length } = find.jwks().keys;
    if (length === 0) return failure('it has no public signing keys', next);
    return fine(`its ${length === 1 ? 'signing key is' : `${length} signing keys are`} known`);
  });
}
