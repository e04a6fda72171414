/** The table of all commands, by what they need, in the order of the help. */
import { auditCommand } from './admin/audit.ts';
import { batchesCommands } from './admin/batches.ts';
import { grantCommands } from './admin/grants.ts';
import { inspectCommands } from './admin/inspect.ts';
import { installationCommands } from './admin/installation.ts';
import { invitationCommands } from './admin/invitations.ts';
import { keyCommands } from './admin/keys.ts';
import { ledgerCommands } from './admin/ledger.ts';
import { memberCommands } from './admin/members.ts';
import { operatorCommands } from './admin/operators.ts';
import { applyCommand, planCommand } from './admin/plan.ts';
import { buildCommands, projectCommands } from './admin/projects.ts';
import { requestCommands } from './admin/requests.ts';
import { spaceCommands } from './admin/spaces.ts';
import { invoiceCommands, statementCommand } from './admin/statements.ts';
import { tokenCommands } from './admin/tokens.ts';
import { balanceCommand, usageCommand } from './admin/usage.ts';
import { whyCommand } from './admin/why.ts';
import { buildLogsCommand } from './client/build-logs.ts';
import { jobCommands } from './client/jobs.ts';
import { loginCommand, logoutCommand } from './client/login.ts';
import { logsCommand } from './client/logs.ts';
import { mediaCommands } from './client/media.ts';
import { referenceCommands } from './client/references.ts';
import { videoCommand } from './client/video.ts';
import { type CliCommand, formerly } from './command.ts';
import { completionCommand } from './completion/completion.ts';
import { configCommands } from './serve/config.ts';
import { doctorCommand } from './serve/doctor.ts';
import { initCommand } from './serve/init.ts';
import { modelsCommand } from './serve/models.ts';
import { serveCommand } from './serve/serve.ts';
import { statusCommand } from './serve/status.ts';

export const commandTable: Readonly<Record<string, readonly CliCommand[]>> = {
  'Run a gateway:': [initCommand, serveCommand, statusCommand, doctorCommand, configCommands, modelsCommand],
  'Administer it (signed in, or with the data folder or DATABASE_URL):': [
    spaceCommands,
    memberCommands,
    invitationCommands,
    keyCommands,
    grantCommands,
    usageCommand,
    balanceCommand,
    statementCommand,
    invoiceCommands,
    requestCommands,
    inspectCommands,
    ledgerCommands,
    batchesCommands,
    whyCommand,
    auditCommand,
    operatorCommands,
    tokenCommands,
    projectCommands,
    buildCommands,
    installationCommands,
    planCommand,
    applyCommand,
  ],
  'Call it (with a key in TOLLGATE_KEY):': [videoCommand, jobCommands, referenceCommands, mediaCommands],
  'Sign in as a person:': [loginCommand, logoutCommand, logsCommand],
  'Help:': [completionCommand(() => allCommands)],
};

/** Names that commands had before; scripts may still use them. */
export const formerCommands: readonly CliCommand[] = [
  formerly('batch', batchesCommands),
  formerly('build-logs', buildLogsCommand),
  formerly('ref', referenceCommands),
];

export const allCommands: readonly CliCommand[] = Object.values(commandTable).flat();
