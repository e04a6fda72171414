/**
 * Files that were built into `assets/`, read into memory on first use and served with a digest and compression. Only
 * the files of a folder can be served, so no path can lead outside.
 */
import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Problem } from '../kernel/problem.ts';
import type { Exchange } from './exchange.ts';

export interface StaticFiles {
  /** The file at the URL of a request; null if there is none. */
  find(url: string): StaticFile | null;
}

export interface StaticFile {
  readonly status: number;
  readonly bytes: Buffer;
  /** The same bytes compressed; null if that is not smaller. */
  readonly gzipped: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** Relative to the source and to `dist/src/http`. */
const ASSETS = ['../../assets', '../../../assets'];

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

/** The folder of that name in `assets/`; null if it does not contain the file that makes it complete. */
export function builtFolder(name: string, file: string): string | null {
  const folders = ASSETS.map((assets) => fileURLToPath(new URL(`${assets}/${name}`, import.meta.url)));
  return folders.find((folder) => existsSync(join(folder, file))) ?? null;
}

/** The files of a folder by the path of their URL. A file `x.gz` beside `x` is used instead of compressing it. */
export function readFolder(folder: string, base: string, policy: string): ReadonlyMap<string, StaticFile> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.gz'))
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        const name = path.slice(folder.length).split(sep).filter(Boolean).join('/');
        const compressed = existsSync(`${path}.gz`) ? readFileSync(`${path}.gz`) : undefined;
        return [`${base}/${name}`, staticFile(name, readFileSync(path), { policy, compressed })] as const;
      }),
  );
}

export function staticFile(
  name: string,
  bytes: Buffer,
  { policy, compressed = gzipSync(bytes) }: { policy: string; compressed?: Buffer | undefined },
): StaticFile {
  return {
    status: 200,
    bytes,
    gzipped: compressed.length < bytes.length ? compressed : null,
    headers: {
      ...safetyHeaders(policy),
      'content-type': contentTypes[extname(name)] ?? 'application/octet-stream',
      vary: 'accept-encoding',
      // Weak, because the compressed bytes differ.
      etag: `W/"${hash('sha256', bytes, 'hex').slice(0, 32)}"`,
      // The build writes a digest into the name of everything in assets/.
      'cache-control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    },
  };
}

/** A page that says what to do, instead of files that were not built. */
export function notBuilt(text: string, policy: string): StaticFile {
  return {
    status: 404,
    bytes: Buffer.from(text),
    gzipped: null,
    headers: { ...safetyHeaders(policy), 'content-type': 'text/plain; charset=utf-8' },
  };
}

export function sendStaticFile(exchange: Exchange, file: StaticFile): void {
  const { request, response } = exchange;
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    throw new Problem('method_not_allowed', {
      detail: `This page does not support ${request.method}. Use GET.`,
    });
  }
  const { id } = exchange;
  const headers = { 'x-request-id': id, 'request-id': id, 'cache-control': 'no-store', ...file.headers };
  if (file.headers.etag !== undefined && request.headers['if-none-match'] === file.headers.etag) {
    response.writeHead(304, headers).end();
    return;
  }
  const zipped = takesGzip(request.headers['accept-encoding']) ? file.gzipped : null;
  const bytes = zipped ?? file.bytes;
  response.writeHead(file.status, {
    ...headers,
    ...(zipped !== null && { 'content-encoding': 'gzip' }),
    'content-length': bytes.length,
  });
  response.end(bytes);
}

function takesGzip(accepted: string | string[] | undefined): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(String(accepted ?? ''));
}

function safetyHeaders(policy: string): Record<string, string> {
  return {
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  };
}
