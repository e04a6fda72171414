/** The data folder, its disk, the port, and the address under which others reach this gateway. */
import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { GIB, MIB } from '../../kernel/bytes.ts';
import type { Clock } from '../../kernel/time.ts';
import { isLoopback } from '../../net/proxies.ts';
import type { Settings } from '../settings.ts';
import { bounded, type CheckResult, type Finding, failure, fine, warning } from './finding.ts';

const DISK_WARNING_BYTES = GIB;
const DISK_ERROR_BYTES = 100 * MIB;

export async function checkFolder({ dataFolder }: Settings, clock: Clock): Promise<Finding[]> {
  const next = `Make ${dataFolder} writable for the user that runs the server, or choose another with --data.`;
  return await bounded('data folder', { clock, next }, async () => {
    const nearest = existingPart(dataFolder);
    accessSync(nearest, constants.W_OK);
    return fine(`${dataFolder} ${nearest === dataFolder ? 'is writable' : 'can be created'}`);
  });
}

export async function checkDisk({ dataFolder }: Settings, clock: Clock): Promise<Finding[]> {
  const next = 'Check the disk of the data folder.';
  return await bounded('disk', { clock, next }, async () => {
    const { bavail, bsize } = statfsSync(existingPart(dataFolder));
    return judgeSpace(bavail * bsize, dataFolder);
  });
}

export function judgeSpace(bytes: number, folder: string): CheckResult {
  const detail = `${(bytes / GIB).toFixed(1)} GiB free for ${folder}`;
  const next = 'Free some space: calls and uploads are rejected when the disk is full.';
  if (bytes < DISK_ERROR_BYTES) return failure(detail, next);
  return bytes < DISK_WARNING_BYTES ? warning(detail, next) : fine(detail);
}

export async function checkPort({ host, port }: Settings, clock: Clock): Promise<Finding[]> {
  const next = 'Stop the other program, or choose another port with --port or PORT.';
  return await bounded('port', { clock, next }, () => {
    const probe = createServer();
    return new Promise<CheckResult>((resolve) => {
      probe.once('error', (error: Error & { code?: string }) => {
        const reason =
          error.code === 'EADDRINUSE' ? 'is in use by another program' : `cannot be opened (${error.code})`;
        resolve(failure(`${host}:${port} ${reason}`, next));
      });
      probe.listen(port, host, () => probe.close(() => resolve(fine(`${host}:${port} is free`))));
    });
  });
}

/** Only its form: whether it is reachable from elsewhere cannot be seen from here. */
export function checkPublicUrl({ publicUrl, host }: Settings): Finding {
  return { check: 'public_url', ...judgePublicUrl(publicUrl, host) };
}

function judgePublicUrl(publicUrl: string | null, host: string): CheckResult {
  const next =
    'Set server.public_url to the https address under which browsers and providers reach this gateway.';
  if (publicUrl === null)
    return isLoopback(host)
      ? fine('not set; the gateway is for this machine only')
      : warning(`not set, but the gateway listens on ${host}: links have no public address`, next);
  const { hostname, protocol } = new URL(publicUrl);
  if (isLoopback(hostname))
    return isLoopback(host)
      ? fine(publicUrl)
      : warning(`${publicUrl} is only reachable from this machine`, next);
  if (protocol !== 'https:')
    return warning(`${publicUrl} is not https: cookies and keys can be read on the way`, next);
  return fine(publicUrl);
}

function existingPart(folder: string): string {
  return existsSync(folder) ? folder : existingPart(dirname(folder));
}
