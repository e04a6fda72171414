/** What a newcomer reads first: where the gateway is, its keys, and a first call. */
import type { ServerStatus } from '../../app/server-status.ts';
import { terminalWidth } from '../print.ts';
import { signInLink } from '../sign-in-link.ts';
import { wrapText } from '../table.ts';

/** What is shown besides the facts of the server. */
export interface Shown {
  /** Null: there is none. */
  readonly gateway: string | null;
  readonly management: string | null;
  /** True when these are the keys, not masked hints. */
  readonly keysShown: boolean;
  /** A link into the console. */
  readonly link: { readonly label: string; readonly code: string } | null;
  /** Sentences below the table. */
  readonly notes: readonly string[];
}

type Cells = [string, string];

const MODELS_SHOWN = 5;

export function welcomeText(status: ServerStatus, shown: Shown): string {
  const { baseUrl } = status;
  const { link } = shown;
  const rows: Cells[] = [
    ['Console', status.consoleUrl],
    ...(link === null ? [] : [[link.label, signInLink(status.consoleUrl, link.code)] as Cells]),
    ['API docs', status.consoleUrl.replace(/\/console$/, '/docs')],
    ['OpenAI SDK', `base URL ${baseUrl}/v1`],
    ['Anthropic SDK', `base URL ${baseUrl}`],
    ['Gateway key', shown.gateway ?? '(none yet: npx tollgate keys create NAME)'],
    ['Management key', shown.management ?? '(none yet: npx tollgate keys create NAME --kind management)'],
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
  const key = shown.keysShown ? (shown.gateway as string) : '$TOLLGATE_KEY';
  const model = status.models[0] ?? 'MODEL';
  const notes = shown.notes.map((note) => `  ${wrapText(note, { width: terminalWidth(), indent: 2 })}`);
  return `
Tollgate ${status.version} is running at ${baseUrl}${status.demo ? ' (demo, this machine only)' : ''}

${table}

${notes.join('\n')}

Try it:

  curl ${baseUrl}/v1/chat/completions \\
    -H "Authorization: Bearer ${key}" \\
    -H "Content-Type: application/json" \\
    -d '{"model": "${model}", "messages": [{"role": "user", "content": "Reply with exactly: It works"}]}'

`;
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
