/** Whether the process is alive (`/health`) and whether it should get traffic (`/ready`). */
import { type Static, Type } from 'typebox';

export const Health = Type.Object({ status: Type.Literal('ok'), version: Type.String() });
export type Health = Static<typeof Health>;

export const Readiness = Type.Object({
  status: Type.Union([Type.Literal('ready'), Type.Literal('not_ready')]),
  reason: Type.Optional(Type.String()),
});
export type Readiness = Static<typeof Readiness>;
