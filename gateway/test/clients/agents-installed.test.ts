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

/** Of a provider, and the shortened patience of agents: longer than the gateway is silent. */
const SILENT_MS = 65_000;
const WAIT_MS = 30_000;
/** Agents send the prompt, which asks for the silence, with each of their calls. */
const SILENT_TIMEOUT_MS = 4 * SILENT_MS;

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

  /** In the format of each agent, so that the silence is between the same events as at the provider. */
  const relayed: Record<string, string> = {
    codex: 'openai-responses',
    'claude-code': 'anthropic',
    opencode: 'openai',
  };
  const silences = (['slow-first-byte', 'pause-mid-stream'] as const).flatMap((fault) =>
    installed.filter(({ program }) => program.id in relayed).map((agent) => ({ fault, ...agent })),
  );

  test(
    'agents wait for a provider that is silent for longer than they would, and do not call again',
    async () => {
      const before = gateway.simulator.calls.length;
      const ends = silences.map(async ({ fault, program, path, sample }) => {
        if (path === null) return expect.fail(`${sample.label} is not in ${folder}.`);
        const dialect = dialectCases.find(({ name }) => name === relayed[program.id]) as DialectCase;
        const model = modelCode(dialect, 'thinking');
        const blocks = sample.write({ origin: gateway.url, key: gateway.key, model });
        const secret = `plum-${program.id}-${fault}`;
        const { code, text } = await runAgent({
          ...{ program, path, model, secret, silence: { fault, ms: SILENT_MS } },
          // Before the first event, an agent waits as long as for an answer.
          blocks: fault === 'pause-mid-stream' ? (program.impatient?.(blocks, WAIT_MS) ?? blocks) : blocks,
          timeoutMs: SILENT_TIMEOUT_MS,
        });
        const has = text.includes(secret);
        return { agent: program.id, fault, code, has, ...(!has && { text }) };
      });
      expect(await Promise.all(ends)).toEqual(
        silences.map(({ fault, program }) => ({ agent: program.id, fault, code: 0, has: true })),
      );
      const calls = gateway.simulator.calls.slice(before);
      expect(calls.filter(({ finished }) => !finished)).toEqual([]);
    },
    SILENT_TIMEOUT_MS,
  );

  test('every call of the agents is charged', async () => {
    const rows = await gateway.query<{ outcome: string; cost: string | null }>(
      sql`select outcome, cost from calls`,
    );
    expect(rows).toHaveLength(gateway.simulator.calls.length);
    expect(rows.every(({ outcome, cost }) => outcome === 'completed' && Number(cost) > 0)).toBe(true);
  });
});
