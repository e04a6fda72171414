/** The entry `metering` of `tollgate.yaml`: where charges are durable while PostgreSQL does not answer. */
import { Type } from 'typebox';
import { about, closed } from './about-key.ts';
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
  },
  { ...closed, ...about('How charges of calls are made durable.') },
);
