/** What a newcomer reads first: where the gateway is, its keys, and a first call. */
import type { DemoSignIn } from '../../app/demo.ts';
import type { ServerStatus } from '../../app/server-status.ts';
import { terminalWidth } from '../print.ts';
import { signInLink } from '../sign-in-link.ts';
import { wrapText } from '../table.ts';

export interface ShownKeys {
  readonly gateway: string | null;
  readonly management: string | null;
  /** True when these are the keys, not masked hints. */
  readonly shown: boolean;
  readonly signIn: DemoSignIn | null;
}

type Cells = [string, string];

const MODELS_SHOWN = 5;

export function welcomeText(status: ServerStatus, keys: ShownKeys): string {
  const { baseUrl } = status;
  const rows: Cells[] = [
    ['Console', status.consoleUrl],
    ...(keys.signIn === null
      ? []
      : [['Sign-in link', signInLink(status.consoleUrl, keys.signIn.code)] as Cells]),
    ['API docs', status.consoleUrl.replace(/\/console$/, '/docs')],
    ['OpenAI SDK', `base URL ${baseUrl}/v1`],
    ['Anthropic SDK', `base URL ${baseUrl}`],
    ['Gateway key', keys.gateway ?? '(none yet: npx tollgate keys create NAME)'],
    ['Management key', keys.management ?? '(none yet: npx tollgate keys create NAME --kind management)'],
    ['Models', modelsText(status.models)],
    ['Providers', providersText(status)],
    ['Database', status.engine === 'embedded' ? `embedded, in ${status.dataFolder}` : 'PostgreSQL'],
    ...(status.redis === null ? [] : [['Redis', status.redis] as [string, string]]),
    ['Metrics', status.metricsUrl ?? 'not served: the port is already in use'],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const indent = width + 4;
  const table = rows
    .map(([name, value]) => `  ${name.padEnd(width)}  ${wrapText(value, { width: terminalWidth(), indent })}`)
    .join('\n');
  const key = keys.shown ? (keys.gateway as string) : '$TOLLGATE_KEY';
  const model = status.models[0] ?? 'MODEL';
  const notes = keys.shown
    ? 'The keys are shown only now; "npx tollgate keys create NAME" creates another.'
    : 'Keys are masked. "npx tollgate keys create NAME" creates one; export it as TOLLGATE_KEY for the call below.';
  return `
Tollgate ${status.version} is running at ${baseUrl}${status.demo ? ' (demo, this machine only)' : ''}

${table}

${[notes, ...signInNotes(keys.signIn)].map((note) => `  ${wrapText(note, { width: terminalWidth(), indent: 2 })}`).join('\n')}

Try it:

  curl ${baseUrl}/v1/chat/completions \\
    -H "Authorization: Bearer ${key}" \\
    -H "Content-Type: application/json" \\
    -d '{"model": "${model}", "messages": [{"role": "user", "content": "Reply with exactly: It works"}]}'

`;
}

function signInNotes(signIn: DemoSignIn | null): string[] {
  if (signIn === null) return [];
  const { minutes, email } = signIn;
  return [
    `The link works once, for ${minutes} minutes; "npx tollgate members link ${email}" creates another.`,
  ];
}

/** Only as many as fit on a line: the first screen is for the first call. */
function modelsText(models: readonly string[]): string {
  const shown = models.slice(0, MODELS_SHOWN).join(', ');
  const more = models.length - MODELS_SHOWN;
  return more <= 0 ? shown : `${shown} and ${more} more (npx tollgate models)`;
}

function providersText({ providers }: ServerStatus): string {
  const real = providers.filter((provider) => !provider.simulated).map((provider) => provider.name);
  const simulated = providers.length > real.length;
  if (real.length === 0)
    return 'simulated (set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY for real models)';
  return `real: ${real.join(', ')}${simulated ? '; the sim-… models are simulated' : ''}`;
}
