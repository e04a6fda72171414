/** Builds the log service, over the store that the settings name. */
import type { Clock } from '../kernel/time.ts';
import { FileStore } from '../logs/files/file-store.ts';
import { readKubeconfig } from '../logs/kubernetes/kubeconfig.ts';
import { KubernetesStore } from '../logs/kubernetes/kubernetes-store.ts';
import { ownCluster } from '../logs/kubernetes/service-account.ts';
import { LogService } from '../logs/log-service.ts';
import type { LogStore } from '../logs/source.ts';
import type { Log } from '../telemetry/log.ts';
import type { Limits } from './limits.ts';
import type { LogSettings } from './log-settings.ts';

export function createLogService(
  settings: LogSettings,
  tools: { clock: Clock; log: Log; limits: Pick<Limits, 'logStreamsPerPerson' | 'logStreamsPerProject'> },
): LogService {
  const { clock, log, limits } = tools;
  const { logStreamsPerPerson: perPerson, logStreamsPerProject: perProject } = limits;
  return new LogService({
    store: createStore(settings, clock),
    clock,
    limits: { perPerson, perProject },
    onTrouble: (error) => log.warn('logs could not be read', { error }),
  });
}

function createStore(settings: LogSettings, clock: Clock): LogStore {
  const { source, root, kubeconfig, namespace } = settings;
  if (source === 'files') return new FileStore({ root, clock });
  const cluster =
    kubeconfig === null ? ownCluster(process.env) : readKubeconfig(kubeconfig, { env: process.env, clock });
  return new KubernetesStore({ cluster, namespace, clock });
}
