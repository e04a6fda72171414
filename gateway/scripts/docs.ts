/** Writes the tables of documents that are made from the code. Run it after a change of an endpoint. */
import { readFileSync, writeFileSync } from 'node:fs';
import { withRights } from './describe-rights.ts';

const file = new URL('../../docs/administration.md', import.meta.url);
writeFileSync(file, withRights(readFileSync(file, 'utf8')));
