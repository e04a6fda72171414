/** `--keep-tokens`, and what is printed when a person loses rights: the tokens and invitations that ended with them. */
import type { ResultOf } from '../../contract/administration/admin-endpoints.ts';
import { type CommonFlags, flag } from '../command.ts';
import { printFields } from '../print.ts';
import type { Row } from '../table.ts';

export const keepTokens = flag('keep the tokens they lose the right to; you answer for them from then on');

type Lost = Pick<ResultOf<'members.remove'>, 'tokens_ended' | 'tokens_kept' | 'invitations_revoked'>;

export function withKeepTokens<Typed extends { keepTokens?: boolean | undefined }>({
  keepTokens: keep_tokens,
  ...typed
}: Typed) {
  return { ...typed, ...(keep_tokens && { keep_tokens }) };
}

export function printLost(answer: Lost & Row, flags: CommonFlags): void {
  if (flags.json) {
    printFields(answer, flags);
    return;
  }
  const { tokens_ended: _, tokens_kept: __, invitations_revoked: ___, ...rest } = answer;
  printFields(rest, flags);
  for (const line of lostLines(answer)) process.stdout.write(`${line}\n`);
}

export function lostLines(answer: Lost): string[] {
  return [
    ...answer.tokens_ended.map((token) => `The token ${nameOf(token)} ended.`),
    ...answer.tokens_kept.map((token) => `You answer for the token ${nameOf(token)} now.`),
    ...answer.invitations_revoked.map((email) => `The invitation of ${email} was revoked.`),
  ];
}

function nameOf({ name, space, access }: Lost['tokens_ended'][number]): string {
  return `${name} (${access}, ${space ?? 'the installation'})`;
}
