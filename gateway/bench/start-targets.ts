/** Starts the things under test, one after the other, each in processes of its own. */
import type { BenchDatabase } from './database.ts';
import type { BenchFlags, TargetName } from './flags.ts';
import { startGateway } from './gateway.ts';
import type { Plan } from './plan.ts';
import { type Portkey, startPortkey } from './portkey.ts';
import { profileFolder } from './profile.ts';
import type { Stage } from './stage.ts';
import { startOwnServer, type Target } from './target.ts';

export interface StartOptions {
  readonly flags: BenchFlags;
  readonly plan: Plan;
  readonly upstreamPort: number;
  readonly othersPort?: number;
  readonly database: BenchDatabase | null;
  readonly portkey?: Portkey | null;
  readonly say: (line: string) => void;
}

export async function startTargets(stage: Stage, options: StartOptions): Promise<Target[]> {
  const targets: Target[] = [];
  for (const name of options.flags.targets) {
    const target = await startTarget(stage, name, options);
    if (target === null) options.say(`${name} is left out: it is not installed here`);
    else targets.push(target);
  }
  return targets;
}

async function startTarget(stage: Stage, name: TargetName, options: StartOptions): Promise<Target | null> {
  const { upstreamPort, database, portkey = null } = options;
  switch (name) {
    case 'bare-node':
      return await startBareNode(stage, upstreamPort);
    case 'portkey':
      return portkey === null ? null : await startPortkey(stage, portkey, upstreamPort);
    case 'gateway/postgres':
      return database === null ? null : await gateway(stage, name, options, database.url);
    case 'gateway/embedded':
      return await gateway(stage, name, options, null);
  }
}

async function startBareNode(stage: Stage, upstreamPort: number): Promise<Target> {
  const { port, pid } = await startOwnServer(stage, './bare-proxy.ts', [`http://127.0.0.1:${upstreamPort}`]);
  return { name: 'bare-node', port, key: null, pids: () => [pid], chargedCalls: null, profileFolder: null };
}

function gateway(
  stage: Stage,
  name: TargetName,
  { flags, plan, upstreamPort, othersPort }: StartOptions,
  databaseUrl: string | null,
): Promise<Target> {
  const folder = flags.profile ? profileFolder(name) : null;
  return startGateway(stage, {
    name,
    upstreamPort,
    ...(othersPort !== undefined && { othersPort }),
    databaseUrl,
    plan,
    profileFolder: folder,
  });
}
