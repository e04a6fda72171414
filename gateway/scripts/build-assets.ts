/** Builds what the gateway serves to browsers, unless it is there already: the console and the page of the API. */
import { buildConsole } from './build-console.ts';
import { buildDocs } from './build-docs.ts';

export async function buildAssets(): Promise<void> {
  buildConsole();
  await buildDocs();
}

if (import.meta.main) await buildAssets();
