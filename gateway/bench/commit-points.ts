/** What is measured of the commit path, and the constants that follow from it. Pure. */
import type { CommitCosts, CommitLoad } from './commit-model.ts';

export type PointLoad = Pick<CommitLoad, 'processes' | 'callersPerProcess' | 'spaces'>;

export interface CommitPoint extends PointLoad {
  readonly callsPerSecond: number;
  readonly callsPerCommit: number;
  readonly p50Ms: number;
  /** CPU of PostgreSQL. */
  readonly databaseUsPerCommit: number;
  /** CPU of the measuring program, which stands for all processes. */
  readonly clientUsPerCommit: number;
  readonly walBytesPerCall: number;
}

export interface MeasuredCommits {
  readonly machine: string;
  readonly date: string;
  readonly cores: number;
  readonly syncUs: number;
  /** Of all tables and indexes. */
  readonly storedBytesPerCall: number;
  readonly points: CommitPoint[];
}

const alone = (callersPerProcess: number, spaces: number): PointLoad => ({
  ...{ processes: 1, callersPerProcess, spaces },
});

/** The first are of one process: the constants come from them. The others say whether the model is right. */
export const loads: readonly PointLoad[] = [
  alone(1, 1),
  alone(8, 1),
  alone(32, 1),
  alone(128, 1),
  alone(500, 1),
  alone(8, 64),
  alone(32, 64),
  alone(128, 64),
  alone(500, 64),
  { processes: 2, callersPerProcess: 32, spaces: 1 },
  { processes: 4, callersPerProcess: 32, spaces: 1 },
  { processes: 8, callersPerProcess: 32, spaces: 1 },
  { processes: 4, callersPerProcess: 128, spaces: 1 },
  { processes: 2, callersPerProcess: 32, spaces: 64 },
  { processes: 4, callersPerProcess: 32, spaces: 1_000 },
  { processes: 8, callersPerProcess: 8, spaces: 1_000 },
];

/** The spaces of a commit, if each call is of one of them with equal chance. */
export function spacesOf(calls: number, spaces: number): number {
  return spaces * (1 - (1 - 1 / spaces) ** calls);
}

/** The planes of least squares through the measured commits of one process. */
export function fitCosts({ points, syncUs }: MeasuredCommits): CommitCosts {
  const own = points.filter(({ processes }) => processes === 1);
  const [commitUs, callUs, spaceUs] = fitPlane(own, ({ databaseUsPerCommit }) => databaseUsPerCommit);
  const [clientCommitUs, clientCallUs] = fitPlane(own, ({ clientUsPerCommit }) => clientUsPerCommit);
  const client = { clientCommitUs, clientCallUs };
  const roundTrips = own.map(
    ({ p50Ms, databaseUsPerCommit, clientUsPerCommit }) =>
      p50Ms * 1_000 - databaseUsPerCommit - clientUsPerCommit - syncUs,
  );
  return { commitUs, callUs, spaceUs, ...client, syncUs, roundTripUs: Math.max(1, Math.min(...roundTrips)) };
}

/** What a commit costs, what each of its calls, and what each of its spaces. */
function fitPlane(
  points: readonly CommitPoint[],
  costOf: (point: CommitPoint) => number,
): [number, number, number] {
  const rows = points.map((point) => {
    const { callsPerCommit, spaces } = point;
    const shape = [1, callsPerCommit, spacesOf(callsPerCommit, spaces)];
    // Relative errors count, so that the largest groups do not decide everything.
    return { shape: shape.map((value) => value / costOf(point)), result: 1 };
  });
  return solveLeastSquares(rows) as [number, number, number];
}

function solveLeastSquares(rows: ReadonlyArray<{ shape: readonly number[]; result: number }>): number[] {
  const size = rows[0]?.shape.length ?? 0;
  const matrix = Array.from({ length: size }, (_, i) =>
    Array.from({ length: size + 1 }, (_, j) =>
      rows.reduce((sum, { shape, result }) => sum + (shape[i] as number) * (shape[j] ?? result), 0),
    ),
  );
  for (let i = 0; i < size; i++) {
    const pivot = matrix[i] as number[];
    for (const [j, row] of matrix.entries()) {
      if (i === j) continue;
      const factor = (row[i] as number) / (pivot[i] as number);
      for (let k = i; k <= size; k++) row[k] = (row[k] as number) - factor * (pivot[k] as number);
    }
  }
  return matrix.map((row, i) => (row[size] as number) / (row[i] as number));
}
