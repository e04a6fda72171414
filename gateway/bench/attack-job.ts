/** What the attacking process is asked to do, and what it says of it. */

export const attackNames = [
  'large-bodies',
  'large-texts',
  'empty-lists',
  'token-ids',
  'stalled-bodies',
  'open-streams',
  'uploads',
  'slow-readers',
  'bad-keys',
  'log-followers',
  'large-answers',
  'inline-references',
] as const;
export type AttackName = (typeof attackNames)[number];

export interface AttackJob {
  readonly attack: AttackName;
  readonly port: number;
  readonly key: string;
  /** Of a person who may follow the logs of `project`. */
  readonly session: string | null;
  readonly project: string;
  /** A model whose streams take long. */
  readonly slowModel: string;
}

/** Sent once it is stopped: how often each status was answered; 0 stands for a broken connection. */
export interface AttackReport {
  readonly statuses: Readonly<Record<string, number>>;
}
