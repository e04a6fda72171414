/**
 * Copies the viewer of the API page into the gateway's assets, with its licence and compressed. The package is a plugin
 * for another web server, chosen because it contains the whole viewer as one file and has few dependencies.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const VIEWER = '@scalar/fastify-api-reference';
const ICON = 'console/src/style/icon.svg';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'gateway/assets/docs');

export async function buildDocs(): Promise<void> {
  const home = dirname(dirname(createRequire(import.meta.url).resolve(VIEWER)));
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string };
  const mark = join(folder, 'viewer-version.txt');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === version) return;
  mkdirSync(folder, { recursive: true });
  const script = await viewerScript();
  writeFileSync(join(folder, 'viewer.js'), script);
  writeFileSync(join(folder, 'viewer.js.gz'), gzipSync(script, { level: 9 }));
  cpSync(join(home, 'LICENSE'), join(folder, 'viewer-license.txt'));
  cpSync(join(root, ICON), join(folder, 'icon.svg'));
  // Last, so that an interrupted build is repeated.
  writeFileSync(mark, version);
}

interface PluginRoute {
  readonly url: string;
  handler(request: unknown, reply: unknown): unknown;
}

/** The plugin registers a route that sends the viewer: call it as its server would. */
async function viewerScript(): Promise<string> {
  const { default: plugin } = (await import(VIEWER)) as {
    default: (server: object, options: object, done: () => void) => void;
  };
  const routes: PluginRoute[] = [];
  const server = { route: (route: PluginRoute) => routes.push(route), hasPlugin: () => false };
  plugin(server, { routePrefix: '/docs', configuration: { url: '/openapi.json' } }, () => undefined);
  let sent: unknown;
  const reply = {
    header: () => reply,
    send: (body: unknown) => {
      sent = body;
    },
  };
  routes.find(({ url }) => url.endsWith('.js'))?.handler({}, reply);
  if (typeof sent !== 'string') throw new Error(`${VIEWER} has no script; see scripts/build-docs.ts`);
  // Its source map is not copied.
  return sent.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n');
}
