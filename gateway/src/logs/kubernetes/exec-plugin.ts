/**
 * Credential plugins of a kubeconfig (`exec`), such as `aws eks get-token`, `gke-gcloud-auth-plugin` and
 * `kubelogin`: a program that prints an ExecCredential of client.authentication.k8s.io.
 */
import { resolve } from 'node:path';
import type { Clock } from '../../kernel/time.ts';
import { ClusterError } from './cluster.ts';
import {
  bearer,
  CachedCredentials,
  CredentialError,
  type CredentialSource,
  type IssuedCredential,
} from './credentials.ts';
import { runProgram } from './run-program.ts';

/** The `exec` entry of a user. */
export interface ExecEntry {
  readonly apiVersion?: string;
  readonly command?: string;
  readonly args?: readonly string[] | null;
  readonly env?: ReadonlyArray<{ readonly name: string; readonly value: string }> | null;
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
  readonly interactiveMode?: string;
}

export interface ExecOptions {
  /** Names the user and the file in errors. */
  readonly owner: string;
  /** The folder of the kubeconfig: a relative path of the command starts here. */
  readonly folder: string;
  /** Sent to plugins that ask for it. */
  readonly clusterInfo: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

const API_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

export function execCredentials(entry: ExecEntry, options: ExecOptions): CredentialSource {
  const { owner, folder, clusterInfo, clock } = options;
  const { apiVersion = '', command = '', args, installHint } = entry;
  if (!API_VERSIONS.includes(apiVersion)) {
    const found = JSON.stringify(apiVersion);
    throw new ClusterError(
      `${owner}: exec.apiVersion is ${found}. Supported are ${API_VERSIONS.join(' and ')}; create the kubeconfig again with a current version of your cloud's command line.`,
    );
  }
  if (command === '') throw new ClusterError(`${owner}: exec.command is missing.`);
  if (entry.interactiveMode === 'Always') {
    throw new ClusterError(
      `${owner}: exec.interactiveMode is Always, but the gateway has no terminal. Use a plugin that can run without one.`,
    );
  }
  const spec = { interactive: false, ...(entry.provideClusterInfo === true && { cluster: clusterInfo }) };
  const info = JSON.stringify({ kind: 'ExecCredential', apiVersion, spec });
  const own = Object.fromEntries((entry.env ?? []).map(({ name, value }) => [name, value]));
  const call = {
    command: commandPath(command, folder),
    args: args ?? [],
    env: { ...options.env, ...own, KUBERNETES_EXEC_INFO: info },
  };
  return new CachedCredentials(async (signal) => {
    try {
      return readExecCredential(await runProgram(call, clock, signal), apiVersion);
    } catch (error) {
      const hint = isMissing(error) && installHint !== undefined ? `\n${installHint.trim()}` : '';
      throw new CredentialError(`${owner}: ${(error as Error).message}${hint}`, { cause: error });
    }
  }, clock);
}

/** The reply of a plugin. Errors name the field and never quote the reply, which holds secrets. */
export function readExecCredential(text: string, apiVersion: string): IssuedCredential {
  const { kind, apiVersion: answered, status } = parseReply(text);
  if (kind !== 'ExecCredential') throw new CredentialError('The plugin did not print an ExecCredential.');
  if (answered !== apiVersion) {
    throw new CredentialError(
      `The plugin answered with another apiVersion than the configured ${apiVersion}.`,
    );
  }
  const token = textOf(status?.token);
  const [cert, key] = [textOf(status?.clientCertificateData), textOf(status?.clientKeyData)];
  const expiration = textOf(status?.expirationTimestamp);
  if ((cert === undefined) !== (key === undefined)) {
    throw new CredentialError(
      'The plugin must print both clientCertificateData and clientKeyData, or neither.',
    );
  }
  if (token === undefined && cert === undefined) {
    throw new CredentialError('The plugin printed neither a token nor a client certificate.');
  }
  const expiresAt = expiration === undefined ? null : Date.parse(expiration);
  if (expiresAt !== null && Number.isNaN(expiresAt))
    throw new CredentialError('The expirationTimestamp of the plugin is not a time.');
  return {
    credential: {
      headers: token === undefined ? {} : bearer(token),
      certificate: cert === undefined || key === undefined ? null : { cert, key },
    },
    expiresAt,
  };
}

interface ExecReply {
  readonly kind?: unknown;
  readonly apiVersion?: unknown;
  readonly status?: Readonly<Record<string, unknown>> | null;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function parseReply(text: string): ExecReply {
  try {
    const reply = JSON.parse(text) as unknown;
    return typeof reply === 'object' && reply !== null ? reply : {};
  } catch {
    throw new CredentialError('The plugin did not print JSON.');
  }
}

/** A relative path starts at the folder of the kubeconfig; a bare name is looked up in PATH. */
function commandPath(command: string, folder: string): string {
  return command.includes('/') ? resolve(folder, command) : command;
}

function isMissing(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: string } };
  return cause?.code === 'ENOENT';
}
