/**
 * The past of the demo, day by day. Each day is written in one transaction; its first call shows that it was written, so
 * an interrupted history continues where it stopped.
 */
import { DAY_MS, HOUR_MS } from '../kernel/durations.ts';
import type { Instant } from '../kernel/time.ts';
import { type CallRecord, callRow, joinRows } from '../metering/call-record.ts';
import { recordCalls } from '../metering/calls.store.ts';
import { insertRefusals, type Refusal } from '../metering/refusals.store.ts';
import { REFUSAL_KEPT_DAYS } from '../metering/refusals.ts';
import { administrationEvents } from './demo-administration.ts';
import { batchEvents } from './demo-batches.ts';
import { type DemoEvent, DemoPast, PAST_DAYS } from './demo-event.ts';
import { outageCalls, outageRecord, refusalOf, rejectionsBetween } from './demo-incidents.ts';
import { mediaEvents } from './demo-media.ts';
import { DemoRandom } from './demo-random.ts';
import type { DemoScene } from './demo-scene.ts';
import { callsBetween, dayParts, type PastCall, recordOf } from './demo-traffic.ts';
import { SPACE } from './demo-workloads.ts';

export interface HistoryDay {
  /** The id of a call that exists once the day is written. */
  readonly firstCallId: string;
  write(scene: DemoScene): Promise<void>;
}

export function historyDays(until: Instant): HistoryDay[] {
  const past = new DemoPast(until);
  const events = [...administrationEvents(past), ...batchEvents(past), ...mediaEvents(past)].sort(
    (a, b) => a.at - b.at,
  );
  const parts = periodsOf(past).map((period): Part => {
    const random = new DemoRandom(`calls ${period.from}`);
    const calls = callsBetween(period, random);
    const own = events.filter(({ at }) => at >= period.from && at < period.until);
    return { period, calls, events: own, past, random };
  });
  return [...Map.groupBy(parts, ({ period }) => period.daysAgo).values()].map((day) => ({
    firstCallId: day.flatMap(({ calls }) => calls)[0]?.id ?? '',
    async write(scene) {
      for (const part of day) await writePart(part, scene);
    },
  }));
}

type Period = Parameters<typeof callsBetween>[0];

function periodsOf(past: DemoPast): Period[] {
  const periods: Period[] = [];
  for (let daysAgo = PAST_DAYS - 1; daysAgo >= 0; daysAgo--) {
    let from = past.at(daysAgo, 0);
    for (const part of dayParts) {
      const until = Math.min(from + part.hours * HOUR_MS, past.until);
      if (from < until) periods.push({ from, until, part, daysAgo });
      from = until;
    }
  }
  return periods;
}

interface Part {
  readonly period: Period;
  readonly calls: readonly PastCall[];
  readonly events: readonly DemoEvent[];
  readonly past: DemoPast;
  readonly random: DemoRandom;
}

async function writePart({ period, calls, events, past, random }: Part, scene: DemoScene): Promise<void> {
  await writeEvents(
    events.filter(({ afterCalls = false }) => !afterCalls),
    scene,
  );
  const tools = { catalog: scene.catalog(), random };
  const records: CallRecord[] = [];
  for (const call of calls) records.push(recordOf(call, await callerOf(call, scene), tools));
  for (const call of outageCalls(period, past, random))
    records.push(outageRecord(call, await callerOf(call, scene), tools));
  const at = Math.min(period.until - 1, past.until);
  const spaces = [...new Set(records.map(({ spaceId }) => spaceId))];
  // Calls end in the part of the day in which they begin, and so in the same month.
  const charged = records.map((record) => ({ ...record, chargedAt: Math.min(record.chargedAt, at) }));
  await recordCalls(scene.tx, { rows: joinRows(charged.map(callRow)), spaces, at });
  if (period.from > past.until - (REFUSAL_KEPT_DAYS - 1) * DAY_MS)
    await writeRefusals(period, { records, random }, scene);
  await writeEvents(
    events.filter(({ afterCalls = false }) => afterCalls),
    scene,
  );
}

async function writeEvents(events: readonly DemoEvent[], scene: DemoScene): Promise<void> {
  for (const { at, write } of events) {
    scene.clock.moveTo(at);
    await write(scene);
  }
}

async function callerOf({ caller }: PastCall, scene: DemoScene) {
  return await scene.key(caller.space, caller.key);
}

async function writeRefusals(
  period: Period,
  { records, random }: { records: readonly CallRecord[]; random: DemoRandom },
  scene: DemoScene,
): Promise<void> {
  const refusals: Refusal[] = records.filter(({ outcome }) => outcome === 'failed').map(refusalOf);
  for (const { key, refusal } of rejectionsBetween(period, random)) {
    const { keyId, spaceId } = await scene.key(SPACE, key);
    refusals.push({ ...refusal, keyId, spaceId });
  }
  if (refusals.length > 0) await insertRefusals(scene.tx, refusals);
}
