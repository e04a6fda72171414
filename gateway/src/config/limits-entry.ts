/** The section `limits` of `tollgate.yaml`: numbers that replace the defaults. */
import { type TInteger, type TOptional, Type } from 'typebox';
import { about, closed } from '../yaml/about-key.ts';
import { type LimitName, limitTable } from './limit-table.ts';

const limits = Object.fromEntries(
  Object.entries(limitTable).map(([name, [value, meaning]]) => [
    name,
    Type.Optional(Type.Integer({ minimum: 0, ...about(meaning, { default: value }) })),
  ]),
) as Record<LimitName, TOptional<TInteger>>;

export const LimitsEntry = Type.Object(limits, {
  ...closed,
  ...about('Limits on sizes, times and numbers. Names end in their unit.'),
});
