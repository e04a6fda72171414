/**
 * Real coding agents, set up with the settings of docs/agents.md: each calls one of its own tools and answers with the
 * result, on every dialect. `npm run agents` installs them; without TOLLGATE_AGENTS, a folder with them, nothing runs.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentSamples } from '../../src/contract/agent-samples.ts';
import { sql } from '../../src/database/sql.ts';
import { type DialectCase, dialectCases, matrixConfig, modelCode } from '../matrix/dialects.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { type AgentProgram, agentPrograms, findProgram } from './agents/agent-programs.ts';
import { agentVersions } from './agents/agent-versions.ts';
import { runAgent } from './agents/run-agent.ts';

const folder = process.env.TOLLGATE_AGENTS ?? '';
const installed = agentPrograms.map((program) => {
  const path = folder === '' ? null : findProgram(program, folder);
  const sample = agentSamples.find(({ id }) => id === program.id);
  if (sample === undefined) throw new Error(`There are no settings for ${program.id}.`);
  return { program, path, sample };
});

test('every agent that has settings has a program and a version to test them with', () => {
  expect(agentSamples.map(({ id }) => id).toSorted()).toEqual(agentPrograms.map(({ id }) => id).toSorted());
  expect(agentSamples.map((sample) => sample.package).toSorted()).toEqual(
    Object.keys(agentVersions).toSorted(),
  );
});

describe.skipIf(folder === '')('coding agents that npm run agents installs', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ config: matrixConfig() });
  });
  afterAll(() => gateway.stop());

  const cases = installed.flatMap(({ program, path, sample }) =>
    dialectCases.map((dialect) => ({
      agent: sample.label,
      on: dialect.name,
      dialect,
      program,
      path,
      sample,
    })),
  );

  test.each(cases)('$agent reads a file with its own tool on $on', async (one) => {
    const { program, path, sample, dialect } = one;
    if (path === null) return expect.fail(`${sample.label} is not in ${folder}.`);
    const model = modelCode(dialect, 'thinking');
    const blocks = sample.write({ origin: gateway.url, key: gateway.key, model });
    const secret = `pear-${program.id}-${dialect.name}`;
    const { code, text } = await runAgent({ program, path, blocks, model, secret, timeoutMs: PATIENCE_MS });
    expect(text).toMatch(/The tool answered/);
    expect(text).toContain(secret);
    expect(code).toBe(0);
    expectSent(dialect, program);
  });

  /** The result of the tool reached the provider, and every call that did is in the books. */
  function expectSent(dialect: DialectCase, program: AgentProgram): void {
    const last = JSON.stringify(gateway.simulator.calls.at(-1)?.body);
    expect(last).toContain(`pear-${program.id}-${dialect.name}`);
  }

  test('every call of the agents is charged', async () => {
    const rows = await gateway.query<{ outcome: string; cost: string | null }>(
      sql`select outcome, cost from calls`,
    );
    expect(rows).toHaveLength(gateway.simulator.calls.length);
    expect(rows.every(({ outcome, cost }) => outcome === 'completed' && Number(cost) > 0)).toBe(true);
  });
});
