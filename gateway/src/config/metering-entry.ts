/** The entry `metering` of `tollgate.yaml`: where charges are durable while PostgreSQL does not answer, and what counts before it is charged. */
import { Type } from 'typebox';
import { about, closed } from '../yaml/about-key.ts';
import { meteringDefaults } from './config-defaults.ts';

export const MeteringEntry = Type.Object(
  {
    journal: Type.Optional(
      Type.Enum(
        ['none', 'local'],
        about(
          'local: while PostgreSQL does not answer, calls continue, and their charges are stored in the data folder ' +
            'until the database has them. none: calls are rejected then. The embedded database always has such a file.',
          { default: meteringDefaults.journal, example: 'local' },
        ),
      ),
    ),
    journal_calls_max: Type.Optional(
      Type.Integer({
        minimum: 1,
        ...about('With so many calls waiting for the database, a process rejects new ones.', {
          default: meteringDefaults.journalCallsMax,
        }),
      }),
    ),
    journal_age_max_ms: Type.Optional(
      Type.Integer({
        minimum: 1_000,
        ...about(
          'When the oldest of them has waited this long, a process rejects new ones. Keys and limits in memory are used ' +
            'for as long.',
          { default: meteringDefaults.journalAgeMaxMs },
        ),
      }),
    ),
    reserve_batches: Type.Optional(
      Type.Boolean(
        about(
          'What a batch may cost counts against monthly limits from its submission on, and its lines stop when that is ' +
            'used up. false: only what is settled counts, and a batch may exceed a limit by any amount.',
          { default: meteringDefaults.reserveBatches, example: false },
        ),
      ),
    ),
  },
  { ...closed, ...about('How charges of calls are made durable, and what batches reserve.') },
);
