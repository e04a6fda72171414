/** A folder with a kubeconfig, and credential plugins that are real programs. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Clock } from '../../src/kernel/time.ts';
import type { Cluster } from '../../src/logs/kubernetes/cluster.ts';
import { readKubeconfig } from '../../src/logs/kubernetes/kubeconfig.ts';

export class KubeconfigFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'tollgate-kube-'));

  write(name: string, text: string): string {
    writeFileSync(join(this.path, name), text);
    return join(this.path, name);
  }

  /** A kubeconfig with one context; answers its path. */
  config(entries: { cluster: object; user: object }, name = 'config'): string {
    return this.write(
      name,
      JSON.stringify({
        'current-context': 'here',
        contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
        clusters: [{ name: 'c', cluster: entries.cluster }],
        users: [{ name: 'u', user: entries.user }],
      }),
    );
  }

  read(entries: { cluster: object; user: object }, clock: Clock): Cluster {
    return readKubeconfig(this.config(entries), { env: this.env, clock });
  }

  /** Plugins of this folder are found by their names. */
  get env(): Record<string, string | undefined> {
    return { ...process.env, PATH: `${this.path}${delimiter}${process.env.PATH}` };
  }

  /**
   * A program that prints the credential in the file `status.json`, in the version it is asked for, and
   * notes each of its runs.
   */
  plugin(name: string): void {
    const script = `#!/bin/sh
echo "$@" >> '${this.path}/runs'
printf '%s' "$KUBERNETES_EXEC_INFO" > '${this.path}/info'
version=$(printf '%s' "$KUBERNETES_EXEC_INFO" | sed 's/.*"apiVersion":"\\([^"]*\\)".*/\\1/')
printf '{"kind":"ExecCredential","apiVersion":"%s","status":%s}' "$version" "$(cat '${this.path}/status.json')"
`;
    writeFileSync(join(this.path, name), script, { mode: 0o755 });
  }

  /** What the plugins print from now on. */
  issue(status: object): void {
    this.write('status.json', JSON.stringify(status));
  }

  /** The arguments of each run so far. */
  get runs(): string[] {
    try {
      return readFileSync(join(this.path, 'runs'), 'utf8').split('\n').slice(0, -1);
    } catch {
      return [];
    }
  }

  /** KUBERNETES_EXEC_INFO of the last run. */
  get info(): unknown {
    return JSON.parse(readFileSync(join(this.path, 'info'), 'utf8'));
  }

  remove(): void {
    rmSync(this.path, { recursive: true });
  }
}
