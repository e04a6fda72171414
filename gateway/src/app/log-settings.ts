/** The settings of logs: read from files on this machine, or from the API of a Kubernetes cluster. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Environment } from '../yaml/expand-text.ts';
import { SettingsError } from './settings.ts';

export interface LogSettings {
  readonly source: 'files' | 'kubernetes';
  /** The folder that contains `pods/`. */
  readonly root: string;
  /** True if the gateway writes its own log there too. */
  readonly own: boolean;
  /** Null: the service account of the pod. */
  readonly kubeconfig: string | null;
  /** Null: all namespaces. */
  readonly namespace: string | null;
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount/token';
const NAMESPACE = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

export function readLogSettings(env: Environment, dataFolder: string): LogSettings {
  const source = env.LOGS_SOURCE || 'files';
  if (source !== 'files' && source !== 'kubernetes') {
    throw new SettingsError(`LOGS_SOURCE is ${JSON.stringify(source)}. It must be files or kubernetes.`);
  }
  const own = env.LOGS_OWN || 'true';
  if (own !== 'true' && own !== 'false') {
    throw new SettingsError(`LOGS_OWN is ${JSON.stringify(own)}. It must be true or false.`);
  }
  const namespace = env.LOGS_NAMESPACE || null;
  if (namespace !== null && !NAMESPACE.test(namespace)) {
    throw new SettingsError(
      `LOGS_NAMESPACE is ${JSON.stringify(namespace)}, which is not a valid namespace name.`,
    );
  }
  return {
    source,
    root: resolve(env.LOGS_ROOT || join(dataFolder, 'logs')),
    own: own === 'true' && source === 'files',
    kubeconfig: source === 'files' ? null : findKubeconfig(env),
    namespace,
  };
}

function findKubeconfig(env: Environment): string | null {
  const named = env.KUBECONFIG || null;
  if (named !== null || existsSync(SERVICE_ACCOUNT)) return named;
  const usual = join(homedir(), '.kube', 'config');
  if (existsSync(usual)) return usual;
  throw new SettingsError(
    'LOGS_SOURCE is kubernetes, but no cluster is configured. Set KUBECONFIG, or run in a pod with a service account.',
  );
}
