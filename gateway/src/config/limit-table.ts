/** Every limit of the gateway with its default. No schema here, because commands that start fast read it. */
import { MIB } from '../kernel/bytes.ts';

/** The largest possible answer: embeddings of 2,048 inputs with 3,072 decimal numbers each. */
const LARGEST_ANSWER_BYTES = 2_048 * 3_072 * 24;

/** The default, and what is limited. */
export const limitTable = {
  json_body_bytes: [32 * MIB, 'body of a JSON request'],
  json_depth: [64, 'nesting of a JSON request'],
  json_keys: [100_000, 'keys in a JSON request'],
  json_values: [1_000_000, 'items of all lists and objects in a JSON request'],
  json_containers: [50_000, 'lists and objects in a JSON request'],
  multipart_body_bytes: [50 * MIB, 'body of a form with files'],
  bytes_in_flight: [192 * MIB, 'bytes that all calls of a process hold at the same time'],
  bytes_in_flight_per_space: [96 * MIB, 'the same for the calls of one space'],
  bytes_in_flight_per_key: [64 * MIB, 'the same for the calls of one key'],
  bytes_wait_ms: [5_000, 'how long a call waits for memory before it gets 429 or 503'],
  streams_per_key: [500, 'open streams of one key'],
  streams_per_space: [1_000, 'open streams of one space'],
  background_per_key: [100, 'background responses of one key that run in one process at the same time'],
  background_per_space: [200, 'the same for one space'],
  token_counts_per_key: [10, 'requests of one key that count tokens at the same time'],
  token_counts_per_space: [20, 'the same for one space'],
  uploads_per_key: [20, 'concurrent uploads of files and references of one key'],
  uploads_per_space: [40, 'the same for one space'],
  downloads_per_key: [50, 'open downloads of files of one key, or of one person in the console'],
  downloads_per_space: [200, 'the same for one space; downloads with links count apart'],
  downloads_per_link: [100, 'open downloads with links to one file'],
  downloads_per_address: [50, 'open downloads with links from one network address'],
  log_streams_per_person: [20, 'open log streams of one person'],
  log_streams_per_project: [200, 'open log streams of one project'],
  route_queue: [100, 'calls that wait for one route with concurrency_max'],
  route_queue_ms: [2_000, 'how long a call waits for such a route before the next one is tried'],
  messages: [2_000, 'messages of one call'],
  client_idle_ms: [60_000, 'until the headers of a request have arrived'],
  client_request_ms: [300_000, 'until a whole request has arrived'],
  client_stall_ms: [60_000, 'a caller that takes no byte of its answer for this long is disconnected'],
  stream_stall_ms: [300_000, 'the same for streams of events and logs'],
  answer_total_ms: [
    3_600_000,
    'until a caller has taken its whole answer or download, unless it is a stream',
  ],
  upstream_connect_ms: [10_000, 'connecting to a provider'],
  upstream_silence_ms: [300_000, 'silence of a provider'],
  upstream_body_bytes: [
    LARGEST_ANSWER_BYTES,
    "a provider's whole answer; 2,048 embeddings of 3,072 numbers fit",
  ],
  call_total_ms: [
    600_000,
    'one call that is not streamed, from start to end, including all attempts; also one status request about a batch or a video',
  ],
  stream_total_ms: [3_600_000, 'one stream from start to end'],
  background_total_ms: [3_600_000, 'one background response from start to end'],
  transfer_total_ms: [3_600_000, 'one file transfer to or from a provider'],
  shutdown_wait_ms: [
    5_000,
    'between SIGTERM and closing the listener: time for load balancers to switch to another process',
  ],
  shutdown_idle_ms: [
    5_000,
    'when stopping, a connection without a request is closed after this time; set it longer than your proxy keeps idle connections',
  ],
  drain_ms: [30_000, 'time for calls to finish when stopping, including the two above'],
  batch_lines: [64, 'batch lines that one process runs concurrently'],
  batch_poll_ms: [60_000, 'maximum time between two status requests for a batch at a provider'],
  batch_unknown_ms: [
    120_000,
    'how long a batch may still appear at its provider after a create request that got no answer',
  ],
  video_poll_ms: [10_000, 'maximum time between two status requests for a video at a provider'],
  video_unknown_ms: [
    120_000,
    'how long a video may still appear at its provider after a create request that got no answer',
  ],
  kept_response_bytes: [
    8 * MIB,
    'items of one response as JSON, without media; a larger response is answered but not kept',
  ],
  kept_space_bytes: [
    1024 * MIB,
    'all kept responses of a space with their media; above it the oldest are deleted',
  ],
  tag_keys: [50, 'keys of tags that a space can use in a month; further ones are reported as other'],
  tag_values: [1_000, 'values of one key of tags in a space and month; further ones are reported as other'],
  attributed_users: [
    10_000,
    'end users, and sessions, in a space and month that are reported by name; further ones as other',
  ],
  attributed_sets: [
    20_000,
    'different combinations of tags, end user and session in a space and month; beyond them the session is reported as other, then the end user, then the tags',
  ],
} as const satisfies Readonly<Record<string, readonly [value: number, meaning: string]>>;
export type LimitName = keyof typeof limitTable;
