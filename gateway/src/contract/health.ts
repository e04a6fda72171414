/** Whether the process is alive (`/health`) and whether it should get traffic (`/ready`). */
import { type Static, Type } from 'typebox';

export const Health = Type.Object(
  {
    status: Type.Literal('ok', { description: 'Always `ok`.' }),
    version: Type.String({ description: 'The version of the gateway.' }),
  },
  { description: 'The process is alive.' },
);
export type Health = Static<typeof Health>;

export const Readiness = Type.Object(
  {
    status: Type.Union([Type.Literal('ready'), Type.Literal('not_ready')], {
      description: 'Whether the process should get traffic.',
    }),
    reason: Type.Optional(Type.String({ description: 'Why it should not.' })),
  },
  { description: 'Whether the process should get traffic.' },
);
export type Readiness = Static<typeof Readiness>;
