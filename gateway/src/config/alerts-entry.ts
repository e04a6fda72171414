/** The sections `alerts` and `smtp` of `tollgate.yaml`: what alerts may reach, and the mail server. */
import { type Static, Type } from 'typebox';
import { about, closed } from '../yaml/about-key.ts';
import { smtpDefaults } from './config-defaults.ts';

export const AlertsEntry = Type.Object(
  {
    allow_hosts: Type.Optional(
      Type.Array(
        Type.String({ pattern: '^[A-Za-z0-9._:-]+$' }),
        about('Hosts that webhooks of alerts may name although they are not on the public internet.', {
          otherwise: 'none',
          example: ['hooks.internal'],
        }),
      ),
    ),
  },
  { ...closed, ...about('Where alerts may be sent.') },
);

export const SmtpEntry = Type.Object(
  {
    host: Type.String({ minLength: 1, ...about('The mail server.', { example: 'smtp.example.com' }) }),
    port: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 65_535,
        ...about('Its port.', { otherwise: '587; 465 with tls, 25 with none', example: 587 }),
      }),
    ),
    tls: Type.Optional(
      Type.Enum(
        ['starttls', 'tls', 'none'],
        about(
          'starttls: the connection must become encrypted before anything is sent. tls: it begins encrypted. none: it is not encrypted.',
          { default: smtpDefaults.tls },
        ),
      ),
    ),
    user: Type.Optional(
      Type.String(about('The user.', { otherwise: 'none: no authentication', example: 'tollgate' })),
    ),
    password: Type.Optional(
      Type.String(about('The password.', { otherwise: 'none', example: '${SMTP_PASSWORD}' })),
    ),
    from: Type.String({
      pattern: '^[^\\r\\n]*@[^\\r\\n]+$',
      ...about('The sender.', { example: 'Tollgate <tollgate@example.com>' }),
    }),
  },
  { ...closed, ...about('The mail server for alerts by e-mail.') },
);
export type AlertsEntry = Static<typeof AlertsEntry>;
export type SmtpEntry = Static<typeof SmtpEntry>;
