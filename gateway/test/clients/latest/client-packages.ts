/** The packages of the client libraries, and how tests import them from another folder than the checkout's. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vitest/config';

export const clientPackages = [
  'openai',
  '@anthropic-ai/sdk',
  'ai',
  '@ai-sdk/openai',
  '@ai-sdk/anthropic',
  '@ai-sdk/openai-compatible',
  '@langchain/core',
  '@langchain/openai',
  '@langchain/anthropic',
] as const;

/** Tests give schemas of zod to the libraries, which must be of the same copy. Its version stays. */
export const SHARED_PACKAGE = 'zod';

/** The installed version of each package. */
export function installedVersions(folder: string, packages: readonly string[]): Map<string, string> {
  return new Map(
    packages.map((name) => {
      const file = join(folder, 'node_modules', name, 'package.json');
      return [name, (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version];
    }),
  );
}

/** Takes the libraries of another folder, whatever file imports them. */
export function clientsFrom(folder: string): Plugin {
  const names = [...clientPackages, SHARED_PACKAGE];
  const isClient = (source: string): boolean =>
    names.some((name) => source === name || source.startsWith(`${name}/`));
  return {
    name: 'clients-from',
    enforce: 'pre',
    async resolveId(source) {
      if (!isClient(source)) return null;
      // As if that file imported it; one that does not exist would be taken for a file of the checkout.
      const found = await this.resolve(source, join(folder, 'package.json'), { skipSelf: true });
      if (!found?.id.startsWith(folder)) throw new Error(`${source} is not installed in ${folder}`);
      return { ...found, external: true };
    },
  };
}
