/** Signs in a command line by a code that a person confirms in a browser, and the first operator by a link. */
import { DEVICE_MINUTES, DEVICE_POLL_SECONDS, type DeviceSignIns } from '../../access/device-sign-in.ts';
import type { FirstOperator } from '../../access/first-operator.ts';
import type { Sessions } from '../../access/sessions.ts';
import { EMAIL } from '../../contract/administration/words.ts';
import { Shape } from '../../contract/check-shape.ts';
import {
  DecideDeviceSignInRequest,
  type DecidedDeviceSignIn,
  type DeviceSession,
  type DeviceSignInPreview,
  FinishDeviceSignInRequest,
  FirstOperatorRequest,
  LookAtDeviceSignInRequest,
  StartDeviceSignInRequest,
  type StartedDeviceSignIn,
} from '../../contract/device-sign-in.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { Problem } from '../../kernel/problem.ts';
import { checkStorable } from '../../kernel/storable-text.ts';
import { kstOf } from '../../kernel/time.ts';
import { browserOrigin } from '../client-address.ts';
import { type HttpRoute, openRoute, sessionRoute } from '../define-route.ts';
import { readJsonBody } from '../read-body.ts';
import { type SessionAnswerOptions, SIGN_IN_BODY, sendSession, shownSession } from '../send-session.ts';
import { visitorOf } from '../session-cookie.ts';
import { DEVICE_PATH } from './console.ts';

const startShape = new Shape(StartDeviceSignInRequest);
const lookShape = new Shape(LookAtDeviceSignInRequest);
const decideShape = new Shape(DecideDeviceSignInRequest);
const finishShape = new Shape(FinishDeviceSignInRequest);
const firstShape = new Shape(FirstOperatorRequest);

export interface DeviceRouteTools {
  readonly devices: DeviceSignIns;
  readonly firstOperator: FirstOperator;
  readonly sessions: Sessions;
}

export function deviceSignInRoutes(
  { devices, firstOperator, sessions }: DeviceRouteTools,
  options: SessionAnswerOptions & { readonly publicUrl: string | null },
): HttpRoute[] {
  return [
    openRoute('startDeviceSignIn', endpoints.startDeviceSignIn, async (exchange) => {
      const given = startShape.check((await readJsonBody(exchange, SIGN_IN_BODY)).value);
      checkStorable(given.machine, 'machine');
      const { code } = await devices.start(given, visitorOf(exchange, options));
      const page = `${browserOrigin(exchange.request, options.publicUrl)}${DEVICE_PATH}`;
      const started: StartedDeviceSignIn = {
        user_code: code,
        verification_url: `${page}?code=${code}`,
        expires_in: DEVICE_MINUTES * 60,
        interval: DEVICE_POLL_SECONDS,
      };
      exchange.sendJson(200, JSON.stringify(started));
    }),
    sessionRoute('lookAtDeviceSignIn', endpoints.lookAtDeviceSignIn, sessions, async (exchange, session) => {
      const { user_code: code } = lookShape.check((await readJsonBody(exchange, SIGN_IN_BODY)).value);
      const found = await devices.look(code, session, visitorOf(exchange, options));
      const preview: DeviceSignInPreview = {
        machine: found.machine,
        address: found.address,
        same_address: found.sameAddress,
        created_at: kstOf(found.createdAt),
        expires_at: kstOf(found.expiresAt),
      };
      exchange.sendJson(200, JSON.stringify(preview));
    }),
    sessionRoute('decideDeviceSignIn', endpoints.decideDeviceSignIn, sessions, async (exchange, session) => {
      const { user_code: code, allow } = decideShape.check(
        (await readJsonBody(exchange, SIGN_IN_BODY)).value,
      );
      const visitor = visitorOf(exchange, options);
      if (allow) await devices.confirm(code, session, visitor);
      else await devices.reject(code, session, visitor);
      const decided: DecidedDeviceSignIn = { allowed: allow };
      exchange.sendJson(200, JSON.stringify(decided));
    }),
    openRoute('finishDeviceSignIn', endpoints.finishDeviceSignIn, async (exchange) => {
      const { verifier } = finishShape.check((await readJsonBody(exchange, SIGN_IN_BODY)).value);
      const session = await devices.finish(verifier, visitorOf(exchange, options));
      const finished: DeviceSession = {
        session:
          session === null ? null : { ...(await shownSession(sessions, session)), token: session.token },
      };
      exchange.sendJson(200, JSON.stringify(finished));
    }),
    openRoute('createFirstOperator', endpoints.createFirstOperator, async (exchange) => {
      const given = firstShape.check((await readJsonBody(exchange, SIGN_IN_BODY)).value);
      if (!EMAIL.test(given.email))
        throw new Problem('invalid_parameter', {
          detail: 'email must be an e-mail address, such as name@example.com.',
          param: 'email',
        });
      const session = await firstOperator.create(given, visitorOf(exchange, options));
      await sendSession(exchange, { sessions, session }, options);
    }),
  ];
}
