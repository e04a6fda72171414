/** What the installation itself is and how it is doing. */
import { Type } from 'typebox';
import { ModelObject } from '../models.ts';
import { ADMIN_BASE, type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import { count, orNull, shape, text, timeOf, units, yes } from './fields.ts';
import { pageOf } from './lists.ts';

export const ModelPage = pageOf(ModelObject, 'The models.');

export const ServerVersion = shape('What the server runs.', {
  version: text('The version of Tollgate.'),
  node: text('The version of Node.js.'),
  demo: yes('Whether it is the demo: simulated models, and data that is invented.'),
});

const RouteState = Type.Object({
  model: text('The model.'),
  provider: text('The name of the provider.'),
  upstream_model: text('The model at the provider.'),
  priority: count('Routes with a lower number are tried first.'),
  weight: Type.Number({ description: 'The share of calls among routes of the same priority.' }),
  state: Type.Enum(['closed', 'open'], {
    description: 'open: the route failed repeatedly and is tried only at intervals.',
  }),
});

export const InstallationHealth = shape(
  'How the installation is doing. Routes are those of the process that answers.',
  {
    ready: yes('Whether this process accepts calls.'),
    in_flight: count('Requests that are being answered now.'),
    providers: Type.Array(
      Type.Object({
        name: text('The name of the provider.'),
        dialect: text('The API it speaks.'),
        simulated: yes('Whether it is the simulator.'),
        open_routes: count('How many of its routes are open now.'),
      }),
      { description: 'The providers of the configuration.' },
    ),
    routes: Type.Array(RouteState, { description: 'Every route of every model, as this process sees it.' }),
    callers_held_back: count('Callers whose own breaker is open.'),
    jobs: Type.Array(
      Type.Object({
        kind: text('The kind of background job.'),
        waiting: count('Jobs that wait or run.'),
        overdue: count('Jobs that should have started more than a minute ago.'),
        failing: count('Jobs whose last attempt failed.'),
      }),
      { description: 'Background work of the whole installation.' },
    ),
    unsettled_batches: count('Batches that have ended and are not settled.'),
    quarantined_batches: count('Batches whose settlement is quarantined.'),
    database: text('embedded or postgres.'),
    redis: orNull(text('connected or away. Null: not configured.')),
  },
);

export const InstallationProcesses = shape(
  'The processes that use the database, and how they share units and limits.',
  {
    processes: Type.Array(
      Type.Object({
        id: text('The id of the process.'),
        host: text('The machine that it runs on.'),
        pid: count('Its number there.'),
        version: text('The version of Tollgate that it runs.'),
        roles: Type.Array(Type.String(), { description: 'What it does: http, worker, logs.' }),
        since: timeOf('When it registered: at its start, or after others took it for dead.'),
        lease_until: timeOf('Until when others take it for alive. It renews this every few seconds.'),
        alive: yes('Whether that time is not over.'),
        holds: orNull(
          Type.Object(
            {
              calls: count('Running calls that hold units or a part of a limit.'),
              oldest_seconds: count('How long the oldest of them has run.'),
              recalls_sent: count('How often it called slices back from other processes, since it started.'),
              recalls_answered: count('How often it gave slices back to other processes.'),
              slices_folded: count('Slices of processes that have ended which it gave back.'),
            },
            {
              description:
                'What its calls hold of units and limits, and what it exchanged with other processes, as of the last renewal of its lease. Null: it has not renewed it yet.',
            },
          ),
        ),
      }),
      { description: 'Those that have not ended, the oldest first.' },
    ),
    purses: Type.Array(
      Type.Object({
        kind: Type.Enum(['space', 'key', 'member', 'budget'], {
          description:
            'The units of spaces without overage, the monthly limits of keys or members, or hard budgets.',
        }),
        purses: count('Purses of which a process has a slice.'),
        slices: count('Slices that processes have of them.'),
        unspent: units(
          'Units that processes may charge without asking and have not charged, including what running calls hold.',
        ),
      }),
      {
        description:
          'What processes have taken, by kind. A call is paid from several kinds, so do not add them up.',
      },
    ),
  },
);

export const InstallationConfig = shape('The configuration in effect. It contains no secret.', {
  file: text('The configuration file.'),
  demo: yes('Whether the demo runs.'),
  listens: text('Host and port.'),
  public_url: orNull(text('The URL for browsers. Null: the address it listens on.')),
  data_folder: text('The data folder.'),
  database: text('The database, without credentials.'),
  redis: orNull(text('The address of Redis, without credentials. Null: not configured.')),
  bucket: orNull(text('The bucket for files. Null: files are in the data folder.')),
  log_level: text('Which log lines are written.'),
  price_version: text('The version of the price sheet.'),
  providers: Type.Array(
    Type.Object({
      name: text('The name of the provider.'),
      dialect: text('The API it speaks.'),
      base_url: text('Its address, without credentials.'),
      simulated: yes('Whether it is the simulator.'),
    }),
    { description: 'The providers; their keys are never shown.' },
  ),
  models: Type.Array(Type.String(), { description: 'The codes of all models.' }),
  unpriced_models: Type.Array(Type.String(), { description: 'The codes of models without a price.' }),
  limits: Type.Record(Type.String(), Type.Number(), { description: 'Every limit and its value.' }),
});

export const installationEndpoints = {
  'models.list': {
    ...operation('GET', `${IN_SPACE}/models`, 'member'),
    summary: 'List the models of a space with their prices.',
    response: ModelPage,
  },
  'installation.version': {
    ...operation('GET', `${ADMIN_BASE}/installation/version`, 'member'),
    summary: 'Get the version of the server.',
    response: ServerVersion,
  },
  'installation.health': {
    ...operation('GET', `${ADMIN_BASE}/installation/health`, 'operator'),
    summary: 'Get the health of the installation.',
    response: InstallationHealth,
  },
  'installation.processes': {
    ...operation('GET', `${ADMIN_BASE}/installation/processes`, 'operator'),
    summary: 'List the processes of the installation.',
    response: InstallationProcesses,
  },
  'installation.config': {
    ...operation('GET', `${ADMIN_BASE}/installation/config`, 'operator'),
    summary: 'Get the configuration in effect, without secrets.',
    response: InstallationConfig,
  },
} as const satisfies Record<string, AdminEndpoint>;
