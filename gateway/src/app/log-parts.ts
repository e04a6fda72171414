/** Builds the log service, over the store that the settings name. */
import type { Clock } from '../kernel/time.ts';
import { FileStore } from '../logs/files/file-store.ts';
import { readKubeconfig } from '../logs/kubernetes/kubeconfig.ts';
import { KubernetesStore } from '../logs/kubernetes/kubernetes-store.ts';
import { ownCluster } from '../logs/kubernetes/service-account.ts';
import { LogService, type LogServiceOptions } from '../logs/log-service.ts';
import type { LogStore } from '../logs/source.ts';
import type { Log } from '../telemetry/log.ts';
import type { LogSettings } from './log-settings.ts';

export function createLogService(
  settings: LogSettings,
  tools: { clock: Clock; log: Log; limits: LogServiceOptions['limits'] },
): LogService {
  const { clock, log, limits } = tools;
  return new LogService({
    store: createStore(settings, clock),
    clock,
    limits,
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
