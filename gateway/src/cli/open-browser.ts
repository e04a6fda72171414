/** Opens an address in the browser of the person at this terminal, where there is one. */
import { spawn } from 'node:child_process';

type Environment = Readonly<Record<string, string | undefined>>;

/** Null: there is no browser here, or it would open on another machine than the person sits at. */
export function browserProgram(env: Environment, platform: NodeJS.Platform): readonly string[] | null {
  if (env.BROWSER) return [env.BROWSER];
  // Set by ssh and by desktops.
  const { SSH_CONNECTION: ssh, SSH_TTY: terminal, DISPLAY: screen, WAYLAND_DISPLAY: wayland } = env;
  if (ssh || terminal) return null;
  if (platform === 'darwin') return ['open'];
  // Not through the shell, which would read the address.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return screen || wayland ? ['xdg-open'] : null;
}

/** Whether a browser was started. The command does not wait for it, and what it prints is not shown. */
export async function openBrowser(url: string): Promise<boolean> {
  const [program, ...args] = browserProgram(process.env, process.platform) ?? [];
  // A server names the address, so it may only be a page.
  if (program === undefined || !/^https?:$/.test(new URL(url).protocol)) return false;
  return await new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => resolve(true));
    child.unref();
  });
}
