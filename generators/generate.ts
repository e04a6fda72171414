/** Generates code from an OpenAPI document: `node generate.ts DOCUMENT FOLDER`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';

const [file = '', folder = ''] = process.argv.slice(2);
const text = readFileSync(file, 'utf8');

const types = astToString(await openapiTS(JSON.parse(text) as OpenAPI3));
writeFileSync(join(folder, 'openapi-typescript.ts'), types);

await createClient({
  input: JSON.parse(text) as Record<string, unknown>,
  // Node runs the generated code as it is, so its imports need the ending of their files.
  output: { path: join(folder, 'hey-api'), module: { extension: '.ts' }, tsConfigPath: null },
  logs: { level: 'silent' },
});
