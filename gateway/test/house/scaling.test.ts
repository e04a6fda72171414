/** The tables of docs/scaling.md follow from measured points by a model that has to reproduce them. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { PointLoad } from '../../bench/commit-points.ts';
import { measured, scaleText, simulatePoint } from '../../bench/scale-text.ts';

const page = readFileSync(new URL('../../../docs/scaling.md', import.meta.url), 'utf8');
/** How far the model may be from a measured rate. */
const ERROR_MAX = 0.35;
/** Left out because the model misses it by a factor of two; docs/scaling.md says so. */
const beyondModel = ({ processes, spaces }: PointLoad): boolean =>
  processes > 2 * measured.cores && spaces > 64;

describe('the arithmetic of scale', () => {
  test('is the one in docs/scaling.md; npm run bench:scale -- --write puts it there', () => {
    expect(page).toContain(scaleText().trim());
  });

  test.each(
    measured.points
      .filter((point) => !beyondModel(point))
      .map((point) => [
        `${point.processes} processes with ${point.callersPerProcess} calls of ${point.spaces} spaces`,
        point,
      ]),
  )('has a model that reproduces the measured rate of %s', (_, point) => {
    const { callsPerSecond, callsPerCommit } = simulatePoint(point as (typeof measured.points)[number]);
    const { callsPerSecond: rate, callsPerCommit: group } = point as (typeof measured.points)[number];
    expect(Math.abs(callsPerSecond / rate - 1)).toBeLessThan(ERROR_MAX);
    expect(Math.abs(callsPerCommit / group - 1)).toBeLessThan(ERROR_MAX);
  });
});
