import { expect, test } from 'vitest';
import { browserProgram } from './open-browser.ts';

test.each([
  [{ BROWSER: 'firefox' }, 'linux', ['firefox']],
  [{ DISPLAY: ':0' }, 'linux', ['xdg-open']],
  [{ WAYLAND_DISPLAY: 'wayland-0' }, 'linux', ['xdg-open']],
  [{}, 'linux', null],
  [{ DISPLAY: ':10', SSH_CONNECTION: '203.0.113.9 1 203.0.113.10 22' }, 'linux', null],
  [{}, 'darwin', ['open']],
  [{ SSH_TTY: '/dev/ttys000' }, 'darwin', null],
  [{}, 'win32', ['rundll32', 'url.dll,FileProtocolHandler']],
] as const)('with %j on %s the browser is %j', (env, platform, expected) => {
  expect(browserProgram(env, platform)).toEqual(expected);
});
