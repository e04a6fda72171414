/**
 * Puts the product into a folder as JavaScript: a few files instead of two thousand, which start in a third of the
 * time. Beside them stand the SQL files that it reads, at the same places as in the source.
 */
import { cpSync, mkdirSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const WORKERS = ['src/database/embedded-worker', 'src/tokens/token-worker'];
const SQL_FOLDERS = ['src/database/migrations', 'src/database/functions'];

export async function bundle(folder: string): Promise<void> {
  const made = await rolldown({
    input: Object.fromEntries(['src/cli/main', ...WORKERS].map((name) => [name, join(root, `${name}.ts`)])),
    platform: 'node',
    external: isExternal,
    plugins: [placesOfModules],
  });
  await made.write({
    dir: folder,
    format: 'esm',
    // Names of classes are part of some messages.
    keepNames: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'parts/[name]-[hash].js',
  });
  await made.close();
  for (const name of SQL_FOLDERS) cpSync(join(root, name), join(folder, name), { recursive: true });
  mkdirSync(join(folder, 'licenses'), { recursive: true });
  cpSync(join(root, '../node_modules/typebox/license'), join(folder, 'licenses/typebox'));
}

/** Packages are installed beside the product, except typebox: its 680 files take longer to load than all of ours. */
function isExternal(id: string): boolean {
  return !id.startsWith('.') && !isAbsolute(id) && !/^typebox(\/|$)/.test(id);
}

/** Modules find files beside their source, also when they stand in another file. */
const placesOfModules: Plugin = {
  name: 'places-of-modules',
  transform(code, id) {
    if (!code.includes('import.meta.url')) return null;
    const place = relative(root, id).replaceAll('\\', '/').replace(/\.ts$/, '.js');
    return { code: code.replaceAll('import.meta.url', `PLACE_OF_MODULE("${place}")`), map: null };
  },
  renderChunk(code, chunk) {
    const up = '../'.repeat(chunk.fileName.split('/').length - 1) || './';
    const url = `new URL("${up}$1", import.meta.url).href`;
    return { code: code.replaceAll(/PLACE_OF_MODULE\("([^"]+)"\)/g, url), map: null };
  },
};
