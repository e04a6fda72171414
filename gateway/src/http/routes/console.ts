/**
 * Serves the web console: the files that were built into `assets/console`, read into memory on first use. Only these
 * files can be served, so no path can lead outside.
 */
import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Problem } from '../../kernel/problem.ts';
import type { Exchange } from '../exchange.ts';

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

const BASE = '/console';
const INDEX = `${BASE}/index.html`;
/** Relative to the source and to `dist/src/http/routes`. */
const FOLDERS = ['../../../assets/console', '../../../../assets/console'];

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

/** Only files of this server run or load; answers may contain images as data URLs. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const NOT_BUILT = 'The console is not built. Run "npm run build -w console" and load this page again.\n';

/** `folder`: where the built console is. Default: where the build puts it. */
export function consoleFiles(options: { folder?: string } = {}): StaticFiles {
  let files: ReadonlyMap<string, StaticFile> | null = null;
  return {
    find(url) {
      // Every request passes here, so the prefix is checked first.
      if (!url.startsWith(BASE)) return null;
      const path = url.split('?', 1)[0] as string;
      files ??= readFiles(options.folder ?? builtFolder());
      const isIndex = path === BASE || path === `${BASE}/`;
      // Until the console is built, each visit checks again.
      if (files === null) return isIndex ? notBuilt : null;
      return files.get(isIndex ? INDEX : path) ?? null;
    },
  };
}

export function sendStaticFile(exchange: Exchange, file: StaticFile): void {
  const { request, response } = exchange;
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    throw new Problem('method_not_allowed', {
      detail: `The console does not support ${request.method}. Use GET.`,
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

function builtFolder(): string | null {
  const folders = FOLDERS.map((folder) => fileURLToPath(new URL(folder, import.meta.url)));
  return folders.find((folder) => existsSync(join(folder, 'index.html'))) ?? null;
}

function readFiles(folder: string | null): ReadonlyMap<string, StaticFile> | null {
  if (folder === null || !existsSync(join(folder, 'index.html'))) return null;
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        const name = path.slice(folder.length).split(sep).filter(Boolean).join('/');
        return [`${BASE}/${name}`, staticFile(name, readFileSync(path))] as const;
      }),
  );
}

function staticFile(name: string, bytes: Buffer): StaticFile {
  const gzipped = gzipSync(bytes);
  return {
    status: 200,
    bytes,
    gzipped: gzipped.length < bytes.length ? gzipped : null,
    headers: {
      ...safetyHeaders,
      'content-type': contentTypes[extname(name)] ?? 'application/octet-stream',
      vary: 'accept-encoding',
      // Weak, because the compressed bytes differ.
      etag: `W/"${hash('sha256', bytes, 'hex').slice(0, 32)}"`,
      // The build writes a digest into the name of everything in assets/.
      'cache-control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    },
  };
}

function takesGzip(accepted: string | string[] | undefined): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(String(accepted ?? ''));
}

const safetyHeaders = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

const notBuilt: StaticFile = {
  status: 404,
  bytes: Buffer.from(NOT_BUILT),
  gzipped: null,
  headers: { ...safetyHeaders, 'content-type': 'text/plain; charset=utf-8' },
};
