/**
 * The long form of the comparison with Node's parser: `npm run fuzz:edge`, with TOLLGATE_EDGE_REQUESTS requests
 * and from TOLLGATE_EDGE_SEED on. A difference prints its seed and its bytes.
 */
import { compareParsers } from './compare-parsers.ts';

const STREAMS_PER_SEED = 5_000;
const requestsMin = Number(process.env.TOLLGATE_EDGE_REQUESTS ?? 1_000_000);
const total = { requests: 0, accepted: 0, rejectedStreams: 0 };
let seed = Number(process.env.TOLLGATE_EDGE_SEED ?? 1);

for (; total.requests < requestsMin; seed++) {
  const figures = await compareParsers(seed, STREAMS_PER_SEED);
  total.requests += figures.requests;
  total.accepted += figures.accepted;
  total.rejectedStreams += figures.rejectedStreams;
}
process.stdout.write(`${JSON.stringify(total)}; the next seed is ${seed}\n`);
