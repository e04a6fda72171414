/** Writes what follows from the measured commits into docs/scaling.md: `npm run bench:scale -- --write`. */
import { parseArgs } from 'node:util';
import { scaleText } from './scale-text.ts';
import { writeDocs } from './write-docs.ts';

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
process.stdout.write(`${scaleText()}\n`);
if (values.write) process.stderr.write(`written to ${writeDocs(scaleText(), 'bench-scale', 'scaling.md')}\n`);
