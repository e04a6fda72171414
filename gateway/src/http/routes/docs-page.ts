/**
 * The page of the API at `/docs`: the OpenAPI document in a viewer that is served from here, after code for the first
 * call. Nothing on it loads from another host.
 */
import { hash } from 'node:crypto';
import { samples } from '../../contract/samples.ts';
import {
  builtFolder,
  notBuilt,
  readFolder,
  type StaticFile,
  type StaticFiles,
  staticFile,
} from '../static-files.ts';

const BASE = '/docs';
/** The last file that the build writes. */
const COMPLETE = 'viewer-version.txt';
/** Stands for the address at which the browser found the page. */
const ORIGIN = 'https://origin.invalid';

/** The viewer has features that use services of its maker; all of them are turned off. */
const VIEWER_OPTIONS = {
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  // The shapes are shown where they are used.
  hideModels: true,
  orderSchemaPropertiesBy: 'preserve',
  documentDownloadType: 'direct',
  persistAuth: false,
  metaData: { title: 'API · Tollgate' },
};

/** The colours of the console, for the viewer. */
const STYLE = `
:root { color-scheme: light dark; }
html, body { margin: 0; overflow-x: clip; }
.light-mode {
  --scalar-color-1: #1a201d; --scalar-color-2: #57615b; --scalar-color-3: #66706a;
  --scalar-background-1: #ffffff; --scalar-background-2: #f4f6f4; --scalar-background-3: #e6ebe7;
  --scalar-border-color: #e0e4df; --scalar-color-accent: #0b6b4f; --scalar-background-accent: #e6f2ec;
}
.dark-mode {
  --scalar-color-1: #e7ece8; --scalar-color-2: #a0aba4; --scalar-color-3: #8f9a93;
  --scalar-background-1: #101412; --scalar-background-2: #181d1a; --scalar-background-3: #232a26;
  --scalar-border-color: #2a312d; --scalar-color-accent: #63d2a8; --scalar-background-accent: #1d2f28;
}
/* A section gets the focus when its link is opened. */
section:focus-visible { outline: none; }
noscript { display: block; padding: 2rem; font: 16px/1.5 system-ui, sans-serif; }
`;

/** Shows the document with the first steps before its introduction, and sends trials to this server. */
const SCRIPT = `
const read = (id) => document.getElementById(id).textContent;
fetch('/openapi.json')
  .then((reply) => reply.json())
  .then((api) => {
    const steps = JSON.parse(read('first-steps')).replaceAll('${ORIGIN}', location.origin);
    api.info.description = steps + api.info.description;
    api.servers = [{ url: location.origin }];
    Scalar.createApiReference('#docs', { ...JSON.parse(read('options')), content: api });
  })
  .catch(() => {
    document.getElementById('docs').textContent = 'The API document could not be loaded. Reload this page.';
  });
`;

const digestOf = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

/** The viewer sets styles from its script, which only this permission for styles allows. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `script-src 'self' ${digestOf(SCRIPT)}`,
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Adds this page to other files. `folder`: where the viewer is. Default: where the build puts it. */
export function withDocsPage(files: StaticFiles, options: { folder?: string | null } = {}): StaticFiles {
  let own: ReadonlyMap<string, StaticFile> | null = null;
  return {
    find(url) {
      // Every request passes here, so the prefix is checked first.
      if (!url.startsWith(BASE)) return files.find(url);
      const path = url.split('?', 1)[0] as string;
      own ??= readFiles(options.folder === undefined ? builtFolder('docs', COMPLETE) : options.folder);
      const isPage = path === BASE || path === `${BASE}/`;
      // Until the viewer is built, each visit checks again.
      if (own === null) return isPage ? NOT_BUILT : null;
      return own.get(isPage ? BASE : path) ?? null;
    },
  };
}

const NOT_BUILT = notBuilt(
  'The page is not built. Run "npm run build" and load it again. GET /openapi.json has the same content.\n',
  CONTENT_SECURITY_POLICY,
);

function readFiles(folder: string | null): ReadonlyMap<string, StaticFile> | null {
  if (folder === null) return null;
  const page = staticFile('page.html', Buffer.from(writePage()), { policy: CONTENT_SECURITY_POLICY });
  return new Map([...readFolder(folder, BASE, CONTENT_SECURITY_POLICY), [BASE, page]]);
}

function writePage(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API · Tollgate</title>
<link rel="icon" type="image/svg+xml" href="${BASE}/icon.svg">
<style>${STYLE}</style>
</head>
<body>
<div id="docs"></div>
<noscript>This page needs JavaScript. <a href="/openapi.json">/openapi.json</a> has the same content.</noscript>
<script type="application/json" id="first-steps">${dataText(firstSteps())}</script>
<script type="application/json" id="options">${dataText(VIEWER_OPTIONS)}</script>
<script src="${BASE}/viewer.js"></script>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

/** JSON that cannot end the element it is in. */
function dataText(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

/** Code for the first call, as Markdown. */
function firstSteps(): string {
  const facts = { origin: ORIGIN, key: 'YOUR_KEY', model: 'MODEL' };
  const parts = samples
    .filter(({ id }) => id !== 'env')
    .map(
      ({ label, note, language, write }) =>
        `### ${label}\n\n${note}\n\n\`\`\`${language}\n${write(facts)}\n\`\`\`\n`,
    );
  const intro =
    'Replace `YOUR_KEY` with a gateway key (`sk_…`) and `MODEL` with a code from `GET /v1/models`.';
  return `## First call\n\n${intro}\n\n${parts.join('\n')}\n## About\n\n[openapi.json](/openapi.json) has this page for generators.\n\n`;
}
