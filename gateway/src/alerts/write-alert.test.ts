import { expect, test } from 'vitest';
import { alertKinds } from '../contract/administration/words.ts';
import { alertMail, slackBody, webhookBody } from './write-alert.ts';

const event = {
  id: 'evt_1',
  kind: 'key.expiring',
  at: Date.parse('2026-11-16T05:20:31Z'),
  data: { space: 'acme', key: '<!channel> & co', expires_at: '2026-11-17T00:00:00+09:00' },
} as const;

test('a webhook has the type, the time in KST and the facts', () => {
  expect(JSON.parse(webhookBody(event))).toEqual({
    type: 'key.expiring',
    timestamp: '2026-11-16T14:20:31+09:00',
    data: event.data,
  });
});

test('names cannot use the markup of Slack', () => {
  const { text } = JSON.parse(slackBody(event)) as { text: string };
  expect(text).toBe('The key &lt;!channel&gt; &amp; co of acme expires at 2026-11-17T00:00:00+09:00.');
});

test('an e-mail names the space, the event and where the console is', () => {
  const { subject, text } = alertMail(event, 'https://tollgate.example.com');
  expect(subject).toBe('[Tollgate] A key will expire (acme)');
  expect(text).toContain('The key <!channel> & co of acme expires at 2026-11-17T00:00:00+09:00.');
  expect(text).toContain('evt_1');
  expect(text).toContain('https://tollgate.example.com/console');
});

test.each(alertKinds)('%s has a sentence that says something without any facts', (kind) => {
  expect(alertMail({ ...event, kind, data: {} }, null).text).not.toContain('[object');
});
