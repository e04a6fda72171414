/**
 * The page on which a person confirms that the command line may sign in as them. Without it, another user of the same
 * machine could listen on a port and lure them to the start of a sign-in.
 */
import type { CommandLine } from '../../access/issuers/sign-in-state.ts';
import { COMMAND_LINE_PATH, shownChallenge } from '../../contract/command-line-sign-in.ts';
import { escapeHtml } from '../html.ts';
import { writePage } from '../plain-page.ts';

export function commandLinePage(
  { port, challenge }: CommandLine,
  { code, email }: { code: string; email: string },
): string {
  const address = `http://127.0.0.1:${port}${COMMAND_LINE_PATH}?${new URLSearchParams({ code })}`;
  return writePage({
    title: 'Sign in the command line?',
    body: `<p>A command line on this computer wants to sign in as ${escapeHtml(email)}. Continue only if you started
"tollgate login" yourself and it shows the same letters:</p>
<p><strong>${shownChallenge(challenge)}</strong></p>
<a class="button" href="${escapeHtml(address)}">Sign in the command line</a>`,
  });
}
