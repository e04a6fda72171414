/** Serves the web console: the files that were built into `assets/console`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { builtFolder, notBuilt, readFolder, type StaticFile, type StaticFiles } from '../static-files.ts';

const BASE = '/console';
const INDEX = `${BASE}/index.html`;
/** Where people sign in. */
export const SIGN_IN_PATH = `${BASE}/sign-in`;
/** Where people confirm the code of a command line. */
export const DEVICE_PATH = `${BASE}/device`;
/** Addresses of pages: the console itself finds the page. */
const PAGE =
  /^\/console(?:\/?|\/(?:sign-in|device|connect|account|operator(?:\/[a-z]+)?|spaces\/[^/?#]+\/[a-z]+(?:\/[^?#]*)?))$/;

/** Only files of this server run or load; answers may contain images as data URLs. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const NOT_BUILT = notBuilt(
  'The console is not built. Run "npm run build -w console" and load this page again.\n',
  CONTENT_SECURITY_POLICY,
);

/** `folder`: where the built console is. Default: where the build puts it. */
export function consoleFiles(options: { folder?: string } = {}): StaticFiles {
  let files: ReadonlyMap<string, StaticFile> | null = null;
  return {
    find(url) {
      // Every request passes here, so the prefix is checked first.
      if (!url.startsWith(BASE)) return null;
      const path = url.split('?', 1)[0] as string;
      files ??= readFiles(options.folder ?? builtFolder('console', 'index.html'));
      const isIndex = PAGE.test(path);
      // Until the console is built, each visit checks again.
      if (files === null) return isIndex ? NOT_BUILT : null;
      return files.get(isIndex ? INDEX : path) ?? null;
    },
  };
}

function readFiles(folder: string | null): ReadonlyMap<string, StaticFile> | null {
  if (folder === null || !existsSync(join(folder, 'index.html'))) return null;
  return readFolder(folder, BASE, CONTENT_SECURITY_POLICY);
}
