/** Makes what is published: the product as JavaScript in `dist/`, and the pages that it serves. */
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildAssets } from './build-assets.ts';
import { bundle } from './bundle.ts';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
rmSync(dist, { recursive: true, force: true });
await bundle(dist);
await buildAssets();
