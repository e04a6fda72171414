/**
 * Every format on every dialect, whole and streamed: each cell of the matrix goes through the real
 * gateway to the simulator. It works, with the record and the reply in step, or it is a refusal that
 * the table in matrix/dialects.ts declares. There is no third way: nothing is lost in silence.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { formats } from '../matrix/ask.ts';
import { type Cell, runCell, runRefusal } from '../matrix/cell.ts';
import {
  type DeclaredRefusal,
  declaredRefusal,
  dialectCases,
  isSimulated,
  matrixConfig,
} from '../matrix/dialects.ts';
import { type FeatureName, featureList } from '../matrix/features.ts';
import { strictCases } from '../matrix/strict-models.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';

const allCases = [...dialectCases, ...strictCases];

interface NamedCell extends Cell {
  readonly name: FeatureName;
  readonly declared: DeclaredRefusal | null;
}

const STREAMED: readonly FeatureName[] = [
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
  if (dialect.strict && streamed && !STREAMED.includes(name)) return false;
  if (dialect.strict?.without?.includes(name)) return false;
  if (!askable.includes(format) || only !== streamed || dialect.models[model] === undefined) return false;
  return declared?.by === 'gateway' || isSimulated(dialect.wires[format]);
}

function titleOf({ format, dialect, streamed, name, declared }: NamedCell): string {
  const refused = declared === null ? '' : ` is refused by the ${declared.by}`;
  return `${format} on ${dialect.name}, ${streamed ? 'streamed' : 'whole'}: ${name}${refused}`;
}

describe.each(oneEngine('postgres', 'translation'))('the matrix on %s', (engine) => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startGateway({ engine, config: matrixConfig(allCases) });
  });
  afterAll(() => gateway.stop());

  for (const cell of cells) {
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
});
