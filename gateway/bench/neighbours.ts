/**
 * What one tenant's load does to another: a victim sends small calls at a steady rate, alone and then under
 * each attack. Figures are the victim's times, the memory of the gateway before, during and after, and the
 * longest turn of its event loop.
 */
import { Agent, request } from 'node:http';
import { constants, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { AttackJob, AttackName, AttackReport } from './attack-job.ts';
import { eventLoopDelay } from './event-loop-delay.ts';
import { rssMib } from './process-figures.ts';
import type { Stage } from './stage.ts';
import type { Table } from './table.ts';
import type { Target } from './target.ts';
import { callBody, MODEL } from './workload.ts';

const CALLS_PER_SECOND = 20;
const LOOK_MS = 50;
const PROJECT = 'bench-logs';
const OPERATOR = { email: 'bench@example.com', password: 'correct horse battery staple' };
/** How much worse the victim may fare, and how much memory an attack may take and keep. */
const P99_TIMES_MAX = 2;
const P99_MORE_MS_MAX = 25;
const MORE_MIB_MAX = 400;
const KEPT_MIB_MAX = 50;

interface VictimTimes {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failed: number;
  readonly answered: number;
}

interface AttackSample {
  readonly attack: AttackName | 'alone';
  readonly victim: VictimTimes;
  readonly restMib: number;
  readonly peakMib: number;
  readonly afterMib: number;
  readonly lagP99Ms: number;
  readonly lagMaxMs: number;
  readonly statuses: string;
}

export interface NeighboursSample {
  readonly target: Target;
  readonly attacks: readonly AttackSample[];
  readonly faults: readonly string[];
}

interface MeasureOptions {
  readonly windowMs: number;
  readonly afterMs: number;
  readonly attacks: readonly AttackName[];
  readonly slowModel: string;
  readonly stage: Stage;
  readonly say: (line: string) => void;
}

export async function measureNeighbours(target: Target, options: MeasureOptions): Promise<NeighboursSample> {
  const job =
    target.ask === undefined ? anybody(target, options.slowModel) : await prepare(target, options.slowModel);
  const attacks = target.ask === undefined ? options.attacks.filter(isForAnybody) : options.attacks;
  // Compilers and pools have settled before anything counts.
  const warmUp = await sendCalls(target, 3_000, 100);
  const samples = [await sample(target, { ...options, attack: 'alone', job })];
  for (const attack of attacks) samples.push(await sample(target, { ...options, attack, job }));
  const failed = samples.filter(({ victim }) => victim.failed > 0);
  const faults = failed.map(
    ({ attack, victim }) => `${target.name}: ${victim.failed} calls of the victim failed under ${attack}`,
  );
  const answered = samples.reduce((sum, { victim }) => sum + victim.answered, warmUp.answered);
  if (target.ask !== undefined) faults.push(...(await bookFaults(target, answered)));
  return { target, attacks: samples, faults };
}

/** Every answer the victim got is charged, once, and the books prove themselves. */
async function bookFaults(target: Target, answered: number): Promise<string[]> {
  const faults: string[] = [];
  const usage = await target.ask?.('reports.usage', {
    space: 'bench',
    by: 'model',
  });
  const charged = usage?.total.requests;
  if (charged !== answered)
    faults.push(`${target.name}: the victim got ${answered} answers, ${charged} are charged`);
  const books = await target.ask?.('ledger.verify', {});
  const wrong = books?.disagreements.length ?? Number.NaN;
  if (wrong !== 0) faults.push(`${target.name}: the books disagree in ${wrong} places`);
  return faults;
}

/**
 * What the machine itself makes of an attack: a proxy without keys, limits or books shows what no gateway on it
 * could better.
 */
function anybody({ port }: Target, slowModel: string): Omit<AttackJob, 'attack'> {
  return { port, key: 'none', session: null, project: PROJECT, slowModel };
}

/** Whether an attack means anything where there are no keys, references and logs. */
function isForAnybody(attack: AttackName): boolean {
  return !['bad-keys', 'log-followers', 'uploads', 'inline-references'].includes(attack);
}

/** The attacker has a space, a key and a session of its own. */
async function prepare(target: Target, slowModel: string): Promise<Omit<AttackJob, 'attack'>> {
  const { ask } = target;
  if (ask === undefined) throw new Error(`${target.name} is no gateway`);
  await ask('spaces.create', { name: 'attacker', overage: true });
  await ask('grants.add', { space: 'attacker', amount: '1000000', kind: 'paid' });
  const made = await ask('keys.create', {
    space: 'attacker',
    name: 'attacker',
    kind: 'shared',
  });
  await ask('projects.add', { space: 'attacker', id: PROJECT });
  await ask('operators.add', OPERATOR);
  const reply = await fetch(`http://127.0.0.1:${target.port}/api/console/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...OPERATOR, keep: 'token' }),
  });
  const { token } = (await reply.json()) as { token?: string };
  if (made === null || token === undefined)
    throw new Error(`${target.name}: the attacker could not be set up`);
  return { port: target.port, key: made.key, session: token, project: PROJECT, slowModel };
}

async function sample(
  target: Target,
  options: MeasureOptions & { attack: AttackSample['attack']; job: Omit<AttackJob, 'attack'> },
): Promise<AttackSample> {
  const { attack, windowMs, afterMs } = options;
  const pids = target.pids();
  const restMib = rssMib(pids);
  let peakMib = restMib;
  const looking = setInterval(() => {
    peakMib = Math.max(peakMib, rssMib(pids));
  }, LOOK_MS);
  await eventLoopDelay(target);
  const attacker = attack === 'alone' ? null : startAttack({ ...options.job, attack }, options.stage);
  if (attacker !== null) await pause(1_000);
  const victim = await sendCalls(target, windowMs, CALLS_PER_SECOND);
  const { p99Ms: lagP99Ms, maxMs: lagMaxMs } = await eventLoopDelay(target);
  const statuses = attacker === null ? '' : await attacker.stop();
  clearInterval(looking);
  if (attacker !== null) await pause(afterMs);
  const afterMib = rssMib(pids);
  const made = { attack, victim, restMib, peakMib, afterMib, lagP99Ms, lagMaxMs, statuses };
  options.say(
    `${target.name} ${attack}: p50 ${victim.p50Ms.toFixed(1)} p99 ${victim.p99Ms.toFixed(1)} ms, failed ${victim.failed}, ` +
      `${restMib.toFixed(0)} → ${peakMib.toFixed(0)} → ${afterMib.toFixed(0)} MiB, ` +
      `event loop p99 ${lagP99Ms.toFixed(0)} max ${lagMaxMs.toFixed(0)} ms; ${statuses}`,
  );
  return made;
}

function startAttack(job: AttackJob, stage: Stage): { stop(): Promise<string> } {
  const child = stage.forkBriefly('./attacker.ts');
  // It would have a machine of its own; here it must not take the processors from those it is measured on.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  child.send(job);
  return {
    async stop() {
      const reported = new Promise<AttackReport>((resolve) => child.once('message', resolve as () => void));
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      child.send('stop');
      const { statuses } = await reported;
      await ended;
      return Object.entries(statuses)
        .map(([status, count]) => `${count} × ${status === '0' ? 'cut' : status}`)
        .join(', ');
    },
  };
}

/** At a steady rate, whatever the answers take. */
async function sendCalls(target: Target, timeMs: number, perSecond: number): Promise<VictimTimes> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const body = callBody({ model: MODEL, streams: false });
  const times: number[] = [];
  let failed = 0;
  const calls: Array<Promise<void>> = [];
  const startedMs = performance.now();
  for (let i = 0; performance.now() - startedMs < timeMs; i++) {
    const dueMs = startedMs + (i * 1_000) / perSecond;
    await pause(Math.max(0, dueMs - performance.now()));
    calls.push(
      sendCall(target, { agent, body }).then((took) => {
        if (took === null) failed++;
        else times.push(took);
      }),
    );
  }
  await Promise.all(calls);
  agent.destroy();
  times.sort((a, b) => a - b);
  const at = (part: number): number =>
    times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;
  return { p50Ms: at(0.5), p99Ms: at(0.99), failed, answered: times.length };
}

function sendCall(
  { port, key }: Target,
  { agent, body }: { agent: Agent; body: string },
): Promise<number | null> {
  return new Promise((resolve) => {
    const startedMs = performance.now();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const path = '/v1/chat/completions';
    const asked = request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent });
    asked.on('error', () => resolve(null));
    asked.on('response', (response) => {
      response.on('error', () => resolve(null));
      response.on('end', () => resolve(response.statusCode === 200 ? performance.now() - startedMs : null));
      response.resume();
    });
    asked.end(body);
  });
}

export function neighboursTable(samples: readonly NeighboursSample[]): Table {
  return {
    title: `A victim with ${CALLS_PER_SECOND} calls a second beside another space's load`,
    head: [
      '',
      'p50 ms',
      'p99 ms',
      'failed',
      'MiB at rest',
      'at most',
      'after',
      'loop p99 ms',
      'loop max ms',
      '',
      'the attacker got',
    ],
    rows: samples.flatMap(({ target, attacks }) => {
      const alone = attacks[0]?.victim.p99Ms ?? 0;
      return attacks.map((one) => [
        `${target.name} ${one.attack}`,
        one.victim.p50Ms.toFixed(1),
        one.victim.p99Ms.toFixed(1),
        String(one.victim.failed),
        one.restMib.toFixed(0),
        one.peakMib.toFixed(0),
        one.afterMib.toFixed(0),
        one.lagP99Ms.toFixed(0),
        one.lagMaxMs.toFixed(0),
        one.attack === 'alone' ? '' : verdict(one, alone),
        one.statuses,
      ]);
    }),
    notes: [
      `Pass: p99 at most ${P99_TIMES_MAX} × alone or ${P99_MORE_MS_MAX} ms more, at most ${MORE_MIB_MAX} MiB more, back within ${KEPT_MIB_MAX} MiB.`,
    ],
  };
}

function verdict({ victim, restMib, peakMib, afterMib }: AttackSample, aloneP99Ms: number): string {
  const p99MsMax = Math.max(P99_TIMES_MAX * aloneP99Ms, aloneP99Ms + P99_MORE_MS_MAX);
  const missed = [
    ...(victim.p99Ms > p99MsMax ? ['p99'] : []),
    ...(peakMib - restMib > MORE_MIB_MAX ? ['memory'] : []),
    ...(afterMib - restMib > KEPT_MIB_MAX ? ['kept'] : []),
  ];
  return missed.length === 0 ? 'pass' : `miss: ${missed.join(', ')}`;
}
