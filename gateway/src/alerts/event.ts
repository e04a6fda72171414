/** What an event is, and which targets get it. Pure. */
import { type AlertKind, operatorAlertKinds } from '../contract/administration/words.ts';

export interface NewEvent {
  readonly kind: AlertKind;
  /** Null: of the installation. */
  readonly spaceId: string | null;
  /** The id or the name of what it is about. */
  readonly subject: string;
  /** The event happens once in it for each threshold: a month, a day, or the time at which something ends. */
  readonly period: string;
  /** Empty where there is only one. */
  readonly threshold: string;
  /** What receivers are sent about it; never a secret. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface TargetFilter {
  readonly spaceId: string | null;
  /** Null: all kinds. */
  readonly kinds: readonly string[] | null;
}

/** A test is for one target only, so it is never sent to all. */
export function gets(target: TargetFilter, { kind, spaceId }: Pick<NewEvent, 'kind' | 'spaceId'>): boolean {
  if (kind === 'test' || !(target.kinds?.includes(kind) ?? true)) return false;
  if (target.spaceId === spaceId) return true;
  return target.spaceId === null && (operatorAlertKinds as readonly string[]).includes(kind);
}
