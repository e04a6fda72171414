/**
 * The script of the sign-in page. After the # of its address is the code of a one-time link or of an invitation; it is
 * removed from the address at once, so that it stays in no history.
 */
export const SIGN_IN_SCRIPT = `
const form = document.querySelector('form');
const say = (text) => { document.querySelector('output').textContent = text; };
const wanted = new URLSearchParams(location.search).get('return_to');
const isOwn = (path) => {
  const { origin, pathname } = new URL(path, location.origin);
  return origin === location.origin && /^\\/console(\\/|$)/.test(pathname);
};
const returnTo = wanted !== null && URL.canParse(wanted, location.origin) && isOwn(wanted) ? wanted : '/console';
async function post(path, body, headers = {}) {
  const reply = await fetch(path, {
    method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body),
  });
  return { ok: reply.ok, body: await reply.json() };
}
async function enter(path, body, headers) {
  say('Signing in \\u2026');
  try {
    const reply = await post(path, body, headers);
    if (reply.ok) location.replace(returnTo);
    else say(reply.body.detail);
  } catch { say('The server could not be reached. Try again.'); }
}
for (const link of document.querySelectorAll('a.button')) link.search = new URLSearchParams({ return_to: returnTo });
let submit = (fields) => enter('/api/console/session', fields);
form?.addEventListener('submit', (event) => {
  event.preventDefault();
  submit(Object.fromEntries(new FormData(form)));
});
function offer({ space }, join) {
  const button = document.createElement('button');
  button.textContent = 'Join ' + space;
  button.addEventListener('click', join);
  document.querySelector('main').replaceChildren(button, document.querySelector('output'));
  say('You are invited to ' + space + '.');
}
async function openInvitation(code) {
  const { ok, body: invitation } = await post('/api/console/invitations/look', { code });
  if (!ok) return say(invitation.detail);
  const session = await fetch('/api/console/session').then((reply) => reply.ok ? reply.json() : null);
  const accept = (fields, headers) => enter('/api/console/invitations/accept', { code, ...fields }, headers);
  if (session?.person.email.toLowerCase() === invitation.email.toLowerCase())
    return offer(invitation, () => accept({}, { 'x-csrf-token': session.csrf }));
  if (invitation.needs_sign_in)
    return say('You are invited to ' + invitation.space + '. Sign in as ' + invitation.email + ', then open this link again.');
  form.elements.email.value = invitation.email;
  form.elements.email.readOnly = true;
  form.elements.password.autocomplete = 'new-password';
  form.querySelector('button').textContent = 'Join ' + invitation.space;
  submit = ({ password }) => accept({ password });
  say('You are invited to ' + invitation.space + '. Choose a password of 10 or more characters.');
}
const code = location.hash.slice(1);
if (code !== '') history.replaceState(null, '', location.pathname + location.search);
if (code.startsWith('iv_')) openInvitation(code).catch(() => say('The server could not be reached. Try again.'));
else if (code !== '') enter('/api/console/session/link', { code });
`;
