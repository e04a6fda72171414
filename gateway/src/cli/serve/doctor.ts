/** `doctor`: checks everything that a server needs. Leaves nothing behind. */
import type { Finding } from '../../app/doctor/finding.ts';
import { systemClock } from '../../kernel/time.ts';
import { type CommonFlags, command } from '../command.ts';
import { printJson } from '../print.ts';
import { type Installation, readInstallation } from '../read-installation.ts';
import { endWithFindings, printFindings } from './print-findings.ts';

export const doctorCommand = command({
  name: 'doctor',
  help: 'check the configuration, providers, database, bucket, Redis, clock, disk and port; exits with 1 on an error',
  examples: ['tollgate doctor', 'tollgate doctor --json'],
  async run(_, flags) {
    const findings = await examineAll(flags);
    if (flags.json) printJson(findings);
    else printFindings(findings);
    endWithFindings(findings);
  },
});

async function examineAll(flags: CommonFlags): Promise<Finding[]> {
  const node: Finding = { check: 'node', status: 'ok', detail: process.version, next: null };
  let installation: Installation;
  try {
    installation = await readInstallation(flags);
  } catch (error) {
    const next = 'Fix the configuration; "tollgate config check" reads it again.';
    return [node, { check: 'configuration', status: 'error', detail: (error as Error).message, next }];
  }
  const { catalog, demo, file } = installation;
  const detail = `${demo ? 'the demo' : file}: ${catalog.models.size} models, ${catalog.providers.length} providers`;
  const { examine } = await import('../../app/doctor/examine.ts');
  return [
    node,
    { check: 'configuration', status: 'ok', detail, next: null },
    ...(await examine(installation, systemClock)),
  ];
}
