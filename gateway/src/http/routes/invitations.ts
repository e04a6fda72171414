/** Shows and accepts invitations to a space. */
import type { Invitations } from '../../access/accept-invitation.ts';
import type { Sessions } from '../../access/sessions.ts';
import { Shape } from '../../contract/check-shape.ts';
import { endpoints } from '../../contract/endpoints.ts';
import {
  AcceptInvitationRequest,
  type InvitationPreview,
  LookAtInvitationRequest,
} from '../../contract/invitations.ts';
import { checkStorable } from '../../kernel/storable-text.ts';
import { kstOf } from '../../kernel/time.ts';
import { type HttpRoute, openRoute } from '../define-route.ts';
import { readJsonBody } from '../read-body.ts';
import { type SessionAnswerOptions, SIGN_IN_BODY, sendSession } from '../send-session.ts';
import { visitorOf } from '../session-cookie.ts';

const lookShape = new Shape(LookAtInvitationRequest);
const acceptShape = new Shape(AcceptInvitationRequest);

export function invitationRoutes(
  { invitations, sessions }: { invitations: Invitations; sessions: Sessions },
  options: SessionAnswerOptions,
): HttpRoute[] {
  return [
    openRoute('lookAtInvitation', endpoints.lookAtInvitation, async (exchange) => {
      const { code } = lookShape.check((await readJsonBody(exchange, SIGN_IN_BODY)).value);
      const found = await invitations.look(code, visitorOf(exchange, options));
      const preview: InvitationPreview = {
        space: found.spaceName,
        email: found.email,
        role: found.role,
        needs_sign_in: found.needsSignIn,
        expires_at: kstOf(found.expiresAt),
      };
      exchange.sendJson(200, JSON.stringify(preview));
    }),
    openRoute('acceptInvitation', endpoints.acceptInvitation, async (exchange) => {
      const { keep, ...given } = acceptShape.check((await readJsonBody(exchange, SIGN_IN_BODY)).value);
      checkStorable(given.nickname ?? '', 'nickname');
      const visitor = visitorOf(exchange, options);
      const session = await invitations.accept(given, visitor, exchange.request);
      await sendSession(exchange, { sessions, session, keep }, options);
    }),
  ];
}
