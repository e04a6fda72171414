#!/usr/bin/env node
// Plain JavaScript, so that an old Node can still say what is wrong with it.
import { existsSync } from 'node:fs';
import module from 'node:module';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 7)) {
  console.error(
    `tollgate needs Node 24.7 or newer; this is ${process.version}.\n` +
      'In a checkout, run it as "npx tollgate …" or "npm start": they bring their own Node along.',
  );
  process.exit(1);
}

// Named imports that an old Node lacks would end it before the words above are said.
module.enableCompileCache?.();
const source = new URL('../src/cli/main.ts', import.meta.url);
const { main } = await import(
  existsSync(source) ? source : new URL('../dist/src/cli/main.js', import.meta.url)
);
await main(process.argv);
