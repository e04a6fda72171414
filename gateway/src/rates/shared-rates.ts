/**
 * Counts in Redis, shared by all processes. One script checks all limits of a call and counts it, so that two
 * processes cannot both admit the last call. It calculates as rate-window.ts does, with the clock of the server.
 */

import type { Principal } from '../access/principal.ts';
import { MINUTE_MS } from '../kernel/durations.ts';
import type { Instant } from '../kernel/time.ts';
import { type Redis, RedisScript } from '../redis/redis.ts';
import type { MinuteCount } from './rate-counts.ts';
import { type RateReading, type RateSubject, readingsOf, subjectsOf } from './rate-reading.ts';

export interface SharedAnswer {
  readonly admitted: boolean;
  /** The time of the server; use it to evaluate the readings. */
  readonly now: Instant;
  readonly readings: readonly RateReading[];
  /** The counts of all processes in this minute and the previous one. */
  readonly totals: readonly MinuteCount[];
}

/** KEYS: one per subject. ARGV: requests and tokens to count, then two caps per subject, 0 for no limit. */
const SCRIPT = new RedisScript(`
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local minute_now = math.floor(now / ${MINUTE_MS})
local admitted = 1
local subjects = {}
for i, key in ipairs(KEYS) do
  local kept = redis.call('hmget', key, 'minute', 'requests', 'requests_before', 'tokens', 'tokens_before')
  local minute, requests, requests_before = tonumber(kept[1] or 0), tonumber(kept[2] or 0), tonumber(kept[3] or 0)
  local tokens, tokens_before = tonumber(kept[4] or 0), tonumber(kept[5] or 0)
  if minute_now > minute then
    local follows = minute_now == minute + 1
    requests_before, tokens_before = follows and requests or 0, follows and tokens or 0
    minute, requests, tokens = minute_now, 0, 0
  end
  local left = ${MINUTE_MS} - math.max(now - minute * ${MINUTE_MS}, 0)
  local function reached(cap, count, before)
    return cap > 0 and count + math.floor(before * left / ${MINUTE_MS} + 0.5) >= cap
  end
  if reached(tonumber(ARGV[2 * i + 1]), requests, requests_before)
    or reached(tonumber(ARGV[2 * i + 2]), tokens, tokens_before) then admitted = 0 end
  subjects[i] = {minute, requests, requests_before, tokens, tokens_before}
end
local answer = {now, admitted}
for i, key in ipairs(KEYS) do
  local s = subjects[i]
  if admitted == 1 then
    s[2], s[4] = s[2] + ARGV[1], s[4] + ARGV[2]
    redis.call('hset', key, 'minute', s[1], 'requests', s[2], 'requests_before', s[3], 'tokens', s[4], 'tokens_before', s[5])
    redis.call('pexpire', key, ${2 * MINUTE_MS})
  end
  for _, value in ipairs(s) do answer[#answer + 1] = value end
end
return answer`);

const SUBJECT_VALUES = 5;

export class SharedRates {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** Null when Redis is unavailable; rejects when it does not answer. */
  countRequest(principal: Principal): Promise<SharedAnswer> | null {
    const subjects = subjectsOf(principal);
    const caps = subjects.flatMap(({ rate }) => [rate.requestsPerMinute ?? 0, rate.tokensPerMinute ?? 0]);
    const asked = this.#run(principal, subjects, [1, 0, ...caps]);
    return asked === null ? null : asked.then((values) => readAnswer(subjects, values as number[]));
  }

  /** Null when Redis is unavailable; rejects when the tokens may not have been counted. */
  addTokens(principal: Principal, tokens: number): Promise<unknown> | null {
    const subjects = subjectsOf(principal);
    return this.#run(principal, subjects, [0, tokens, ...subjects.flatMap(() => [0, 0])]);
  }

  #run(principal: Principal, subjects: readonly RateSubject[], values: number[]): Promise<unknown> | null {
    // A Redis cluster places keys by the text in braces; a script needs all of its keys on one node.
    const keys = subjects.map(({ id }) => `tollgate:rate:{${principal.spaceId}}:${id}`);
    return this.#redis.run(SCRIPT, { keys, values: values.map(String) });
  }
}

function readAnswer(subjects: readonly RateSubject[], [now = 0, admitted, ...rest]: number[]): SharedAnswer {
  const read = subjects.map((subject, i) => {
    const values = rest.slice(i * SUBJECT_VALUES, (i + 1) * SUBJECT_VALUES);
    const [minute = 0, requests = 0, requestsBefore = 0, tokens = 0, tokensBefore = 0] = values;
    const windows = {
      requests: { minute, previous: requestsBefore, current: requests },
      tokens: { minute, previous: tokensBefore, current: tokens },
    };
    return {
      readings: readingsOf(subject, (kind) => windows[kind]),
      totals: [
        { subject: subject.id, minute: minute - 1, requests: requestsBefore, tokens: tokensBefore },
        { subject: subject.id, minute, requests, tokens },
      ],
    };
  });
  return {
    admitted: admitted === 1,
    now,
    readings: read.flatMap(({ readings }) => readings),
    totals: read.flatMap(({ totals }) => totals),
  };
}
