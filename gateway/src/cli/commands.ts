/**
 * The table of all commands, by what they need, in the order of the help. Each is loaded from its own file when it is
 * typed: to load all of them takes longer than most commands run.
 */
import { type CliCommand, formerly } from './command.ts';

type Load = () => Promise<CliCommand>;

const commandTable: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  'Run a gateway:': {
    init: async () => (await import('./serve/init.ts')).initCommand,
    serve: async () => (await import('./serve/serve.ts')).serveCommand,
    migrate: async () => (await import('./serve/migrate.ts')).migrateCommand,
    backup: async () => (await import('./serve/backup.ts')).backupCommand,
    restore: async () => (await import('./serve/backup.ts')).restoreCommand,
    archive: async () => (await import('./serve/archive.ts')).archiveCommand,
    gc: async () => (await import('./serve/gc.ts')).gcCommand,
    status: async () => (await import('./serve/status.ts')).statusCommand,
    doctor: async () => (await import('./serve/doctor.ts')).doctorCommand,
    config: async () => (await import('./serve/config.ts')).configCommands,
    models: async () => (await import('./serve/models.ts')).modelsCommand,
    demo: async () => (await import('./serve/demo.ts')).demoCommands,
  },
  'Administer it (signed in, or with the data folder or DATABASE_URL):': {
    spaces: async () => (await import('./admin/spaces.ts')).spaceCommands,
    members: async () => (await import('./admin/members.ts')).memberCommands,
    invitations: async () => (await import('./admin/invitations.ts')).invitationCommands,
    keys: async () => (await import('./admin/keys.ts')).keyCommands,
    workloads: async () => (await import('./admin/workloads.ts')).workloadCommands,
    aliases: async () => (await import('./admin/aliases.ts')).aliasCommands,
    grants: async () => (await import('./admin/grants.ts')).grantCommands,
    usage: async () => (await import('./admin/usage.ts')).usageCommand,
    balance: async () => (await import('./admin/usage.ts')).balanceCommand,
    statement: async () => (await import('./admin/statements.ts')).statementCommand,
    reports: async () => (await import('./admin/reports.ts')).reportCommands,
    invoices: async () => (await import('./admin/statements.ts')).invoiceCommands,
    requests: async () => (await import('./admin/requests.ts')).requestCommands,
    inspect: async () => (await import('./admin/inspect.ts')).inspectCommands,
    ledger: async () => (await import('./admin/ledger.ts')).ledgerCommands,
    batches: async () => (await import('./admin/batches.ts')).batchesCommands,
    why: async () => (await import('./admin/why.ts')).whyCommand,
    audit: async () => (await import('./admin/audit.ts')).auditCommands,
    operators: async () => (await import('./admin/operators.ts')).operatorCommands,
    tokens: async () => (await import('./admin/tokens.ts')).tokenCommands,
    alerts: async () => (await import('./admin/alerts.ts')).alertCommands,
    budgets: async () => (await import('./admin/budgets.ts')).budgetCommands,
    projects: async () => (await import('./admin/projects.ts')).projectCommands,
    builds: async () => (await import('./admin/projects.ts')).buildCommands,
    prices: async () => (await import('./admin/prices.ts')).priceCommands,
    reconcile: async () => (await import('./admin/reconcile.ts')).reconcileCommand,
    installation: async () => (await import('./admin/installation.ts')).installationCommands,
    plan: async () => (await import('./admin/plan.ts')).planCommand,
    apply: async () => (await import('./admin/plan.ts')).applyCommand,
  },
  'Call it (with a key in TOLLGATE_KEY):': {
    video: async () => (await import('./client/video.ts')).videoCommand,
    jobs: async () => (await import('./client/jobs.ts')).jobCommands,
    references: async () => (await import('./client/references.ts')).referenceCommands,
    media: async () => (await import('./client/media.ts')).mediaCommands,
  },
  'Sign in as a person:': {
    login: async () => (await import('./client/login.ts')).loginCommand,
    logout: async () => (await import('./client/login.ts')).logoutCommand,
    logs: async () => (await import('./client/logs.ts')).logsCommand,
  },
  'Help:': {
    completion: async () => (await import('./completion/completion.ts')).completionCommand(allCommands),
  },
};

/** Names that commands had before; scripts may still use them. */
const formerTable: Readonly<Record<string, Load>> = {
  batch: async () => (await import('./admin/batches.ts')).batchesCommands,
  'build-logs': async () => (await import('./client/build-logs.ts')).buildLogsCommand,
  ref: async () => (await import('./client/references.ts')).referenceCommands,
};

export interface FoundCommand {
  readonly command: CliCommand;
  /** Of the help; null for a former name. */
  readonly heading: string | null;
}

/** The command of the name, or all of them where the name is no command's. */
export async function findCommands(name?: string): Promise<FoundCommand[]> {
  const shown = Object.entries(commandTable).flatMap(([heading, loads]) =>
    Object.entries(loads).map(([word, load]) => ({ word, load, heading })),
  );
  const former = Object.entries(formerTable).map(([word, load]) => ({
    word,
    load: async () => formerly(word, await load()),
    heading: null,
  }));
  const all = [...shown, ...former];
  const named = all.filter(({ word }) => word === name);
  return await Promise.all(
    (named.length > 0 ? named : all).map(async ({ load, heading }) => ({ command: await load(), heading })),
  );
}

/** Without former names. */
export async function allCommands(): Promise<CliCommand[]> {
  return (await findCommands()).flatMap(({ command, heading }) => (heading === null ? [] : [command]));
}
