/**
 * The worker thread of token-counter.ts. Lanes take turns of a few milliseconds, so that no count waits for the whole of a
 * long one of another lane.
 */
import { parentPort } from 'node:worker_threads';
import vocabulary from 'gpt-tokenizer/bpeRanks/o200k_base';
import { systemClock } from '../kernel/time.ts';
import { BytePairs, type Vocabulary } from './byte-pairs.ts';
import { WORD_CHARACTERS_MAX } from './split-words.ts';
import { TextCount } from './text-count.ts';
import { COUNTER_READY, type CountMessage, type CountReply } from './token-counter.ts';

/** Of one lane. */
const TURN_MS = 4;

interface Job {
  readonly id: number;
  readonly lane: string;
  readonly count: TextCount;
}

const pairs = new BytePairs(vocabulary as Vocabulary, WORD_CHARACTERS_MAX);
/** In the order of their turns; a lane has its jobs in the order in which they came. */
const lanes = new Map<string, Job[]>();

parentPort?.on('message', (message: CountMessage) => {
  if ('cancel' in message) return cancel(message.cancel);
  const { id, lane, texts } = message;
  if (lanes.size === 0) setImmediate(takeTurn);
  const jobs = lanes.get(lane) ?? [];
  jobs.push({ id, lane, count: new TextCount(texts) });
  lanes.set(lane, jobs);
});

parentPort?.postMessage(COUNTER_READY);

function takeTurn(): void {
  const [[lane, jobs] = ['', []]] = lanes;
  const untilMs = systemClock.elapsedMs() + TURN_MS;
  const isOver = (): boolean => systemClock.elapsedMs() >= untilMs;
  while (jobs[0]?.count.run(pairs, isOver)) {
    const { id, count } = jobs.shift() as Job;
    parentPort?.postMessage({ id, tokens: count.tokens } satisfies CountReply);
    if (isOver()) break;
  }
  // To the end of the row.
  lanes.delete(lane);
  if (jobs.length > 0) lanes.set(lane, jobs);
  // Messages that came meanwhile are read before the next turn.
  if (lanes.size > 0) setImmediate(takeTurn);
}

function cancel(id: number): void {
  for (const [lane, jobs] of lanes) {
    const at = jobs.findIndex((job) => job.id === id);
    if (at < 0) continue;
    jobs.splice(at, 1);
    // The running turn of an emptied lane finds nothing to do.
    if (jobs.length === 0 && lanes.size > 1) lanes.delete(lane);
    return;
  }
}
