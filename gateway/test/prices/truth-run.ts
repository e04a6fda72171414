/** Sends every case through a gateway, in each format that can carry it, and keeps what came of it. */
import { Agent, request as httpRequest } from 'node:http';
import { drawColour } from '../../simulator/brain/colours.ts';
import type { ReceiptObject } from '../../src/contract/receipt.ts';
import { sql } from '../../src/database/sql.ts';
import { ask, type Format, paths } from '../matrix/ask.ts';
import { BatchStage } from '../support/batches-stage.ts';
import type { TestGateway } from '../support/gateway.ts';
import { VideoStage } from '../support/video-jobs-stage.ts';
import type { TruthCase } from './truth-case.ts';
import { exactAnswer } from './wire-answers.ts';

/** What was seen of one call of a case. */
export interface Seen {
  /** Such as `messages, streamed`. */
  readonly how: string;
  /** The cost in the reply; null: unpriced. */
  readonly cost: string | null;
  /** Null for a line of a batch that cannot be settled, which has none. */
  readonly receipt: Receipt | null;
}

export type Receipt = Pick<ReceiptObject, 'cost' | 'lines' | 'usage_source'> & {
  readonly usage: Pick<ReceiptObject['usage'], 'input_tokens' | 'output_tokens'>;
};

interface Call {
  readonly truth: TruthCase;
  readonly how: string;
  send(): Promise<Seen>;
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | undefined;
}

/** Calls in flight; more of them do not make the run faster. */
const CALLS_MAX = 48;
const PICTURE = `data:image/png;base64,${drawColour('blue').toString('base64')}`;

export class TruthRun {
  /** By the name of the case. */
  readonly seen = new Map<string, Array<Seen | Error>>();
  readonly #gateway: TestGateway;
  /** Cases whose receipt was asked for, and the calls whose receipt is read from the database. */
  readonly #asked = new Set<string>();
  readonly #open = new Map<string, Receipt>();
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CALLS_MAX });
  readonly #prompts: ReadonlyMap<TruthCase, string>;

  constructor(gateway: TestGateway, cases: readonly TruthCase[]) {
    this.#gateway = gateway;
    // Numbers of one length, so that every prompt has as many tokens.
    const named = cases.map((truth, i): [TruthCase, string] => [truth, String(i).padStart(6, '0')]);
    for (const [truth, name] of named) gateway.simulator.answers.set(name, exactAnswer(truth));
    this.#prompts = new Map(named.map(([truth, name]) => [truth, `[[say ${name}]]`]));
  }

  async runAll(): Promise<void> {
    const cases = [...this.#prompts.keys()];
    await this.#runJobs(cases);
    const calls = cases
      .filter(({ batch, wire }) => !batch && wire !== 'video')
      .flatMap((truth) => this.#callsOf(truth));
    const lanes = Array.from({ length: CALLS_MAX }, async () => {
      for (let call = calls.shift(); call !== undefined; call = calls.shift()) await this.#see(call);
    });
    await Promise.all(lanes);
    await this.#readStored();
    this.#agent.destroy();
  }

  #callsOf(truth: TruthCase): Call[] {
    return truth.formats.flatMap((format) =>
      truth.streamed.map((streamed): Call => {
        const how = streamed ? `${format}, streamed` : format;
        if (format === 'images') return { truth, how, send: () => this.#draw(truth, how) };
        return { truth, how, send: () => this.#talk(truth, format as Format, streamed) };
      }),
    );
  }

  async #see({ truth, how, send }: Call): Promise<void> {
    try {
      this.#keep(truth, await send());
    } catch (error) {
      this.#keep(truth, new Error(`${how}: ${(error as Error).message}`));
    }
  }

  #keep({ name }: TruthCase, seen: Seen | Error): void {
    const all = this.seen.get(name);
    if (all === undefined) this.seen.set(name, [seen]);
    else all.push(seen);
  }

  async #talk(truth: TruthCase, format: Format, streamed: boolean): Promise<Seen> {
    const text = this.#prompts.get(truth) ?? '';
    const more = truth.request ?? {};
    const { path, headers, body } = ask(
      format,
      truth.model,
      { turns: [{ role: 'user', text }], more, ...capOf(format) },
      streamed,
    );
    return await this.#post(truth, streamed ? `${format}, streamed` : format, { path, headers, body });
  }

  async #draw(truth: TruthCase, how: string): Promise<Seen> {
    const body = { model: truth.model, prompt: this.#prompts.get(truth), ...truth.request };
    if (!truth.edit) return await this.#post(truth, how, { path: '/v1/images/generations', body });
    return await this.#post(truth, how, {
      path: '/v1/images/edits',
      body: { ...body, images: [{ image_url: PICTURE }] },
    });
  }

  async #post(
    { name }: TruthCase,
    how: string,
    { path, headers, body }: Omit<Sent, 'method'>,
  ): Promise<Seen> {
    const first = !this.#asked.has(name);
    this.#asked.add(name);
    const { status, id, text } = await this.#send({ method: 'POST', path, headers: { ...headers }, body });
    if (status !== 200) throw new Error(`${status} ${text}`);
    return { how, cost: costIn(text), receipt: first ? await this.#receipt(id) : this.#later(id) };
  }

  /** Filled in from the stored calls at the end: a receipt shows them, and asking for each of them takes most of the time. */
  #later(id: string): Receipt {
    const empty = { usage_source: '', usage: { input_tokens: null, output_tokens: null } };
    const receipt = { cost: null, lines: [], ...empty };
    this.#open.set(id, receipt);
    return receipt;
  }

  async #readStored(): Promise<void> {
    const rows = await this.#gateway.query<Receipt & { id: string }>(sql`
      select id, trim_scale(cost)::text as cost, coalesce(charge_lines, '[]') as lines, usage_source,
        jsonb_build_object('input_tokens', input_tokens, 'output_tokens', output_tokens) as usage from calls`);
    for (const { id, ...stored } of rows) Object.assign(this.#open.get(id) ?? {}, stored);
  }

  async #receipt(id: string): Promise<ReceiptObject> {
    const { status, text } = await this.#send({ method: 'GET', path: `/v1/receipts/${id}` });
    if (status !== 200) throw new Error(`the receipt of ${id} answers ${status}`);
    return JSON.parse(text) as ReceiptObject;
  }

  /** With node's plain client, which takes half the time of fetch. */
  #send({ method, path, headers, body }: Sent): Promise<{ status: number; id: string; text: string }> {
    const all = {
      authorization: `Bearer ${this.#gateway.key}`,
      'content-type': 'application/json',
      ...headers,
    };
    return new Promise((resolve, reject) => {
      const request = httpRequest(`${this.#gateway.url}${path}`, {
        method,
        headers: all,
        agent: this.#agent,
      });
      request.once('error', reject).once('response', (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (piece: string) => (text += piece)).once('error', reject);
        response.once('end', () => {
          resolve({ status: response.statusCode ?? 0, id: String(response.headers['x-request-id']), text });
        });
      });
      request.end(body && JSON.stringify(body));
    });
  }

  /** All batches and videos are created first and then waited for one after the other, which asks least often. */
  async #runJobs(cases: readonly TruthCase[]): Promise<void> {
    const videos = cases.filter(({ wire }) => wire === 'video').map((truth) => [truth]);
    // One batch for each model and endpoint. A line without a known cost keeps a batch from being settled, so it is apart.
    const groups = Map.groupBy(
      cases.filter(({ batch }) => batch),
      ({ model, formats, cost }) => `${model} ${formats[0]} ${cost === null}`,
    );
    const jobs = [
      ...videos.map((group) => ({ group, end: this.#film(group[0] as TruthCase) })),
      ...[...groups.values()].map((group) => ({ group, end: this.#submit(group) })),
    ];
    for (const { group, end } of jobs) {
      try {
        const seen = await (await end)();
        for (const [i, truth] of group.entries()) this.#keep(truth, seen[i] as Seen);
      } catch (error) {
        for (const truth of group) this.#keep(truth, error as Error);
      }
    }
  }

  async #film({ name, model, request, fails }: TruthCase): Promise<Ending> {
    const stage = new VideoStage(this.#gateway);
    const { id } = await stage.created(`${name} ${fails ? '[[video failed]]' : ''}`, { model, ...request });
    return async () => {
      const { estimated_cost: cost } = await stage.ended(id);
      return [{ how: 'video', cost: cost?.amount ?? null, receipt: await this.#receipt(id) }];
    };
  }

  async #submit(group: readonly TruthCase[]): Promise<Ending> {
    const stage = new BatchStage(this.#gateway);
    const format = group[0]?.formats[0] as Format;
    const lines = group.map((truth) => this.#line(truth, format));
    const { id } = await stage.submitted(lines, { endpoint: paths[format] });
    return async () => {
      const ended = await stage.until(id, ({ settlement_status: status }) =>
        ['settled', 'quarantined'].includes(status),
      );
      const good = await stage.lines(ended.output_file_id);
      const bad = await stage.lines(ended.error_file_id);
      const how = `batch (${ended.settlement_status})`;
      const seen = group.map(async ({ name }): Promise<Seen> => {
        const id = (good.get(name) ?? bad.get(name))?.response?.request_id;
        const cost = good.get(name)?.response?.body.estimated_cost?.amount ?? (bad.has(name) ? '0' : null);
        return { how, cost, receipt: id === undefined ? null : await this.#receipt(id) };
      });
      return await Promise.all(seen);
    };
  }

  #line(truth: TruthCase, format: Format): string {
    const text = this.#prompts.get(truth) ?? '';
    const { path, body } = ask(
      format,
      truth.model,
      { turns: [{ role: 'user', text }], ...capOf(format) },
      false,
    );
    const line = { custom_id: truth.name, method: 'POST', url: path };
    return JSON.stringify({ ...line, body: { service_tier: 'default', ...body } });
  }
}

/** Waits until a job has ended. */
type Ending = () => Promise<readonly Seen[]>;

/** The cost in a whole answer, or in the frame of a stream that has it. Null: unpriced. */
function costIn(text: string): string | null {
  const whole = text.startsWith('{');
  const jsons = whole ? [text] : text.split('\n').flatMap((line) => line.split(/^data: (?=\{)/)[1] ?? []);
  const costs = jsons
    .filter((json) => json.includes('"estimated_cost"'))
    .map((json) => JSON.parse(json) as { estimated_cost?: Cost; response?: { estimated_cost?: Cost } })
    .map(({ estimated_cost, response }) => estimated_cost ?? response?.estimated_cost ?? null);
  return costs.at(-1)?.amount ?? null;
}

type Cost = { readonly amount: string } | null;

/** The messages format needs a cap, and an answer has no more tokens than about twice as many. */
function capOf(format: Format): { outputTokensMax?: number } {
  return format === 'messages' ? { outputTokensMax: 1_000_000 } : {};
}
