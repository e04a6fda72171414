/** The cells of the matrix: which there are, and which of them the suite runs. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import type { Engine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';
import { formats } from './ask.ts';
import { type Cell, runCell, runRefusal } from './cell.ts';
import {
  type DeclaredRefusal,
  declaredRefusal,
  dialectCases,
  isSimulated,
  matrixConfig,
} from './dialects.ts';
import { type FeatureName, featureList } from './features.ts';
import { strictCases } from './strict-models.ts';

const allCases = [...dialectCases, ...strictCases];

export interface NamedCell extends Cell {
  readonly name: FeatureName;
  readonly declared: DeclaredRefusal | null;
}

/** What every strict model is asked for, also streamed, in every run of the suite. */
const USUAL: readonly FeatureName[] = [
  'plain text',
  'two tool calls at once',
  'the result of a tool, with thoughts before the call',
];

const cells: readonly NamedCell[] = formats.flatMap((format) =>
  allCases.flatMap((dialect) =>
    [false, true].flatMap((streamed) =>
      featureList
        .map(([name, feature]) => {
          const declared = declaredRefusal(format, dialect, name);
          return { format, dialect, streamed, feature, name, declared };
        })
        .filter(exists),
    ),
  ),
);

/** A cell needs a format with words for it, and a model to answer it. */
function exists({ format, dialect, streamed, feature, name, declared }: NamedCell): boolean {
  const { formats: askable = formats, streamed: only = streamed, model = 'usual' } = feature;
  if (feature.dialects?.includes(dialect.dialect) === false) return false;
  // What a strict model takes does not depend on how the answer comes, but some calls take another way to it.
  if (dialect.strict && streamed && !USUAL.includes(name)) return false;
  if (dialect.strict?.without?.includes(name)) return false;
  if (!askable.includes(format) || only !== streamed || dialect.models[model] === undefined) return false;
  return declared?.by === 'gateway' || isSimulated(dialect.wires[format]);
}

function titleOf({ format, dialect, streamed, name, declared }: NamedCell): string {
  const refused = declared === null ? '' : ` is refused by the ${declared.by}`;
  return `${format} on ${dialect.name}, ${streamed ? 'streamed' : 'whole'}: ${name}${refused}`;
}

/**
 * Strict models differ from the dialect that they speak by what they refuse, and Azure from OpenAI by its addresses. The
 * suite asks them for what is usual and for what they refuse; what they take like the others is tried by the long tests.
 */
function isRare({ dialect, name, declared }: NamedCell): boolean {
  if (USUAL.includes(name)) return false;
  return dialect.strict ? declared === null : dialect.name === 'azure-openai';
}

/** Every cell is in one of the two. */
export const usualCells = cells.filter((cell) => !isRare(cell));
export const rareCells = cells.filter(isRare);

/** Runs cells one after the other in a gateway of their own. */
export function describeCells(engine: Engine, own: readonly NamedCell[]): void {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startGateway({ engine, config: matrixConfig(allCases) });
  });
  afterAll(() => gateway.stop());

  for (const cell of own) {
    test(titleOf(cell), async () => {
      if (cell.declared === null) await runCell(gateway, cell);
      else await runRefusal(gateway, cell, cell.declared);
    });
  }

  test('all calls that reached a provider are on record, and only those', async () => {
    // The record of a failure does not hold up the reply.
    await vi.waitFor(async () => {
      const [row] = await gateway.query<{ calls: number; unpaid: number }>(
        sql`select count(*)::int as calls, (count(*) filter (where cost is null and outcome <> 'failed'))::int as unpaid from calls`,
      );
      expect(row).toEqual({ calls: gateway.simulator.calls.length, unpaid: 0 });
    }, PATIENCE);
  });
}
