/** Sends every case through a gateway, in each format that can carry it, and keeps what came of it. */
import { drawColour } from '../../simulator/brain/colours.ts';
import type { ReceiptObject } from '../../src/contract/receipt.ts';
import { ask, type Format } from '../matrix/ask.ts';
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
  /** Null for a line of a batch, which has none. */
  readonly receipt: ReceiptObject | null;
}

interface Call {
  readonly truth: TruthCase;
  readonly how: string;
  send(): Promise<Seen>;
}

/** Calls in flight; more of them do not make the run faster. */
const CALLS_MAX = 48;
const PICTURE = `data:image/png;base64,${drawColour('blue').toString('base64')}`;

export class TruthRun {
  /** By the name of the case. */
  readonly seen = new Map<string, Array<Seen | Error>>();
  readonly #gateway: TestGateway;
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
    const calls = cases.filter(({ batch }) => !batch).flatMap((truth) => this.#callsOf(truth));
    const slow = calls.filter(({ truth }) => truth.wire === 'video').map((call) => this.#see(call));
    const batches = this.#runBatches(cases.filter(({ batch }) => batch));
    const waiting = calls.filter(({ truth }) => truth.wire !== 'video');
    const lanes = Array.from({ length: CALLS_MAX }, async () => {
      for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) await this.#see(call);
    });
    await Promise.all([...lanes, ...slow, batches]);
  }

  #callsOf(truth: TruthCase): Call[] {
    return truth.formats.flatMap((format) =>
      truth.streamed.map((streamed): Call => {
        const how = streamed ? `${format}, streamed` : format;
        if (format === 'video') return { truth, how, send: () => this.#film(truth, how) };
        if (format === 'images') return { truth, how, send: () => this.#draw(truth, how) };
        return { truth, how, send: () => this.#talk(truth, format, streamed) };
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
      { turns: [{ role: 'user', text }], more },
      streamed,
    );
    return await this.#post(streamed ? `${format}, streamed` : format, { path, headers, body });
  }

  async #draw(truth: TruthCase, how: string): Promise<Seen> {
    const body = { model: truth.model, prompt: this.#prompts.get(truth), ...truth.request };
    if (!truth.edit) return await this.#post(how, { path: '/v1/images/generations', body });
    return await this.#post(how, {
      path: '/v1/images/edits',
      body: { ...body, images: [{ image_url: PICTURE }] },
    });
  }

  async #post(
    how: string,
    { path, headers, body }: { path: string; headers?: Record<string, string>; body: object },
  ): Promise<Seen> {
    const reply = await this.#gateway.post(path, body, headers);
    const text = await reply.text();
    if (reply.status !== 200) throw new Error(`${reply.status} ${text}`);
    const id = reply.headers.get('x-request-id') ?? '';
    return { how, cost: costIn(text), receipt: await this.#receipt(id) };
  }

  async #receipt(id: string): Promise<ReceiptObject> {
    const headers = { authorization: `Bearer ${this.#gateway.key}` };
    const reply = await fetch(`${this.#gateway.url}/v1/receipts/${id}`, { headers });
    if (reply.status !== 200) throw new Error(`the receipt of ${id} answers ${reply.status}`);
    return (await reply.json()) as ReceiptObject;
  }

  async #film(truth: TruthCase, how: string): Promise<Seen> {
    const stage = new VideoStage(this.#gateway);
    const prompt = `${truth.name} ${truth.fails ? '[[video failed]]' : ''}`;
    const { id } = await stage.created(prompt, { model: truth.model, ...truth.request });
    const job = await stage.ended(id);
    return { how, cost: job.estimated_cost?.amount ?? null, receipt: await this.#receipt(id) };
  }

  /** One batch for each model and endpoint. Lines without a known cost keep a batch from being settled, so they are apart. */
  async #runBatches(cases: readonly TruthCase[]): Promise<void> {
    const groups = Map.groupBy(
      cases,
      ({ model, formats, cost }) => `${model} ${formats[0]} ${cost === null}`,
    );
    await Promise.all(
      [...groups.values()].map(async (group) => {
        try {
          for (const [truth, seen] of await this.#runBatch(group)) this.#keep(truth, seen);
        } catch (error) {
          for (const truth of group) this.#keep(truth, error as Error);
        }
      }),
    );
  }

  async #runBatch(group: readonly TruthCase[]): Promise<Array<[TruthCase, Seen]>> {
    const stage = new BatchStage(this.#gateway);
    const [{ formats, cost }] = group as [TruthCase];
    const endpoint = formats[0] === 'responses' ? '/v1/responses' : '/v1/chat/completions';
    const lines = group.map((truth) => {
      const text = this.#prompts.get(truth) ?? '';
      const { body } = ask(
        truth.formats[0] as Format,
        truth.model,
        { turns: [{ role: 'user', text }] },
        false,
      );
      const line = {
        custom_id: truth.name,
        method: 'POST',
        url: endpoint,
        body: { service_tier: 'default', ...body },
      };
      return JSON.stringify(line);
    });
    const { id } = await stage.submitted(lines, { endpoint });
    const ended = await stage.until(id, ({ settlement_status: status }) =>
      ['settled', 'quarantined'].includes(status),
    );
    if (ended.settlement_status === 'quarantined') {
      if (cost !== null) throw new Error(`the batch is quarantined: ${JSON.stringify(ended)}`);
      return group.map((truth) => [truth, { how: 'batch', cost: null, receipt: null }]);
    }
    const [good, bad] = await Promise.all([
      stage.lines(ended.output_file_id),
      stage.lines(ended.error_file_id),
    ]);
    return group.map((truth) => {
      const failed = bad.has(truth.name);
      const answered = good.get(truth.name)?.response?.body;
      if (failed) return [truth, { how: 'batch', cost: '0', receipt: null }];
      return [truth, { how: 'batch', cost: answered?.estimated_cost?.amount ?? null, receipt: null }];
    });
  }
}

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
