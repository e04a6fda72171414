/** `status`: what is running on this data folder. */

import type { ServerStatus } from '../../app/server-status.ts';
import { DEMO_SPACE } from '../../demo/demo-space.ts';
import { administer } from '../admin/administer.ts';
import { type CommonFlags, command } from '../command.ts';
import { printJson } from '../print.ts';
import { dataFolderOf, runningServer } from '../running-server.ts';
import { welcomeText } from './welcome.ts';

/** Enough to know whether there are several. */
const SPACES_READ = 2;

export const statusCommand = command({
  name: 'status',
  help: 'show the server that runs on this data folder, with secrets masked; exits with 1 if there is none',
  examples: ['tollgate status'],
  async run(_, flags) {
    const status = await runningServer(flags);
    if (status !== null) {
      const hints = await keyHints(status, flags);
      const first = (kind: Kind): string | null => hints?.[kind][0] ?? null;
      if (flags.json)
        printJson({ ...status, keys: { gateway: first('gateway'), management: first('management') } });
      else {
        const keys = { gateway: shownKey(hints, 'gateway'), management: shownKey(hints, 'management') };
        process.stdout.write(welcomeText(status, { ...keys, keysShown: false, link: null, notes: [MASKED] }));
      }
      return;
    }
    const dataFolder = dataFolderOf(flags);
    process.exitCode = 1;
    if (flags.json) printJson({ state: 'stopped', dataFolder });
    else {
      const start = 'Start it with "npm start" or "tollgate serve".';
      process.stdout.write(`No server is running on ${dataFolder}. ${start}\n`);
    }
  },
});

const MASKED =
  'Keys are masked. "npx tollgate keys create NAME" creates one; export it as TOLLGATE_KEY for the call below.';

type Kind = 'gateway' | 'management';

/** Of the space of commands that name none; null: there are several, and none of them is meant. */
async function keyHints({ demo }: ServerStatus, flags: CommonFlags): Promise<Record<Kind, string[]> | null> {
  const { data: spaces } = await administer('spaces.list', { limit: SPACES_READ }, flags);
  const space = demo ? DEMO_SPACE : spaces[0]?.name;
  if (space === undefined) return { gateway: [], management: [] };
  if (!demo && spaces.length > 1) return null;
  const { data: keys } = await administer('keys.list', { space, state: 'active' }, flags);
  const hints = (isManagement: boolean): string[] =>
    keys.filter(({ kind }) => (kind === 'management') === isManagement).map(({ hint }) => hint);
  return { gateway: hints(false), management: hints(true) };
}

/** A key, and how to see the others; null: there is none. */
function shownKey(hints: Record<Kind, string[]> | null, kind: Kind): string | null {
  if (hints === null) return '(several spaces: npx tollgate keys list --space NAME)';
  const [first, ...others] = hints[kind];
  if (first === undefined || others.length === 0) return first ?? null;
  return `${first} and ${others.length} more (npx tollgate keys list)`;
}
