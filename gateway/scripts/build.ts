/** Makes what is published: the product as JavaScript in `dist/`, and the pages that it serves. */
import { cpSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildConsole } from './build-console.ts';
import { bundle } from './bundle.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const dist = here('../dist');
rmSync(dist, { recursive: true, force: true });
await bundle(dist);
buildConsole();
// npm adds it to a package only from the folder of the package.
cpSync(here('../../LICENSE'), here('../LICENSE'));
