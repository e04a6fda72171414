/** Clients that call without pause, each at whichever gateway is up, and write down what they got. */

import type { GatewayProcess } from '../support/gateway-process.ts';
import { type CallKind, type CallNote, type ClientMoment, callKinds, makeCall } from './client.ts';

export interface LoadOptions {
  readonly clients: number;
  readonly keys: readonly string[];
  readonly gateways: () => readonly GatewayProcess[];
  /** From 0 to below 1. */
  readonly random: () => number;
}

interface Waiter {
  readonly moment: ClientMoment;
  left: number;
  resolve(): void;
}

export class Load {
  readonly #options: LoadOptions;
  readonly #notes: CallNote[] = [];
  readonly #underWay = new Map<GatewayProcess, Set<Promise<unknown>>>();
  #waiters: Waiter[] = [];
  #clients: Promise<void>[] = [];
  #gatewayUp = Promise.withResolvers<void>();
  #stopping = false;
  #calls = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** One note per call that has ended. */
  get notes(): readonly CallNote[] {
    return this.#notes;
  }

  start(): void {
    this.#clients = Array.from({ length: this.#options.clients }, () => this.#client());
  }

  /** Lets every client finish the call it is making. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.gatewayUp();
    await Promise.all(this.#clients);
  }

  /** Wakes the clients that found every gateway down. */
  gatewayUp(): void {
    this.#gatewayUp.resolve();
    this.#gatewayUp = Promise.withResolvers();
  }

  /** Resolves at the so-many-th moment of a kind from now on. */
  moments(moment: ClientMoment, count: number): Promise<void> {
    return new Promise((resolve) => this.#waiters.push({ moment, left: count, resolve }));
  }

  /** Resolves when every call that was made to a gateway has ended, well or badly. */
  async settled(gateway: GatewayProcess): Promise<void> {
    await Promise.all(this.#underWay.get(gateway) ?? []);
    this.#underWay.delete(gateway);
  }

  async #client(): Promise<void> {
    while (!this.#stopping) {
      const up = this.#options.gateways().filter((gateway) => gateway.alive);
      const gateway = up[Math.floor(this.#options.random() * up.length)];
      if (gateway === undefined) await this.#gatewayUp.promise;
      else await this.#call(gateway);
    }
  }

  async #call(gateway: GatewayProcess): Promise<void> {
    const number = this.#calls++;
    const { keys } = this.#options;
    // Every key makes calls of every kind.
    const key = keys[Math.floor(number / callKinds.length) % keys.length] as string;
    const calling = makeCall(gateway, {
      key,
      mark: `call-${number}.`,
      kind: callKinds[number % callKinds.length] as CallKind,
      onMoment: (moment) => this.#notice(moment),
    }).then((note) => void this.#notes.push(note));
    const underWay = this.#underWay.get(gateway) ?? new Set();
    this.#underWay.set(gateway, underWay.add(calling));
    await calling;
    underWay.delete(calling);
  }

  #notice(moment: ClientMoment): void {
    for (const waiter of this.#waiters) {
      if (waiter.moment === moment && --waiter.left === 0) waiter.resolve();
    }
    this.#waiters = this.#waiters.filter((waiter) => waiter.left > 0);
  }
}
