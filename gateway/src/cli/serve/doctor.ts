/** `doctor`: checks everything that starting a server needs. Changes nothing. */
import { accessSync, constants, existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { askServer } from '../../app/ask-server.ts';
import type { Settings } from '../../app/settings.ts';
import type { Secret } from '../../kernel/secret.ts';
import { type CommonFlags, command } from '../command.ts';
import { printJson } from '../print.ts';
import { readInstallation } from '../read-installation.ts';

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

export const doctorCommand = command({
  name: 'doctor',
  help: 'check the configuration, the data folder, the database and the port; exits with 1 if a check fails',
  examples: ['tollgate doctor'],
  async run(_, flags) {
    const findings = await examine(flags);
    if (flags.json) printJson(findings);
    else
      for (const { check, ok, detail } of findings)
        process.stdout.write(`${ok ? 'ok  ' : 'FAIL'}  ${check.padEnd(14)} ${detail}\n`);
    if (findings.some((finding) => !finding.ok)) process.exitCode = 1;
  },
});

async function examine(flags: CommonFlags): Promise<Finding[]> {
  const findings: Finding[] = [{ check: 'node', ok: true, detail: process.version }];
  const configured = await tried('configuration', async () => {
    const { catalog, settings, demo, file } = await readInstallation(flags);
    const detail = `${demo ? 'the demo' : file}: ${catalog.models.size} models, ${catalog.providers.length} providers`;
    return { detail, settings };
  });
  findings.push(configured.finding);
  if (configured.value === null) return findings;
  const { settings } = configured.value;
  const running = await askServer(settings.dataFolder, 'ping', {}).catch(() => null);
  findings.push((await tried('data folder', async () => folder(settings))).finding);
  const { redisUrl } = settings;
  if (redisUrl !== null) findings.push((await tried('redis', () => redis(redisUrl))).finding);
  if (running !== null) {
    findings.push({ check: 'server', ok: true, detail: 'running; it uses the database and the port' });
    return findings;
  }
  findings.push((await tried('database', () => database(settings))).finding);
  findings.push((await tried('port', () => port(settings))).finding);
  return findings;
}

async function tried<Value extends { detail: string }>(
  check: string,
  work: () => Promise<Value>,
): Promise<{ finding: Finding; value: Value | null }> {
  try {
    const value = await work();
    return { finding: { check, ok: true, detail: value.detail }, value };
  } catch (error) {
    return { finding: { check, ok: false, detail: (error as Error).message }, value: null };
  }
}

async function folder({ dataFolder }: Settings): Promise<{ detail: string }> {
  let nearest = dataFolder;
  while (!existsSync(nearest)) nearest = dirname(nearest);
  accessSync(nearest, constants.W_OK);
  return { detail: `${dataFolder} ${nearest === dataFolder ? 'is writable' : 'can be created'}` };
}

async function database(settings: Settings): Promise<{ detail: string }> {
  if (settings.databaseUrl === null && !existsSync(join(settings.dataFolder, 'postgres')))
    return { detail: 'embedded, created at the first start' };
  const { openDatabase } = await import('../../database/open-database.ts');
  const { systemClock: clock } = await import('../../kernel/time.ts');
  const { databaseUrl, dataFolder: folder } = settings;
  const db = await openDatabase({ url: databaseUrl?.reveal() ?? null, folder, clock });
  await db.close();
  return { detail: `${db.engine} answers` };
}

async function redis(url: Secret): Promise<{ detail: string }> {
  const { Redis } = await import('../../redis/redis.ts');
  const { shownAddress } = await import('../../app/settings.ts');
  const { systemClock: clock } = await import('../../kernel/time.ts');
  let trouble: Error | null = null;
  const onAway = (error: Error): void => {
    trouble = error;
  };
  const asked = new Redis({ url: url.reveal(), clock, onAway });
  await asked.start();
  await asked.stop();
  if (trouble !== null)
    throw new Error(`${shownAddress(url)} does not answer: ${(trouble as Error).message}`);
  return { detail: `${shownAddress(url)} answers` };
}

function port({ host, port: wanted }: Settings): Promise<{ detail: string }> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', () => reject(new Error(`${host}:${wanted} is in use by another program`)));
    probe.listen(wanted, host, () => probe.close(() => resolve({ detail: `${host}:${wanted} is free` })));
  });
}
