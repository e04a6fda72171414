/**
 * Takes pictures of every page of the console, on a demo of its own: light, dark, on a phone, in both languages. All go
 * to docs/pictures/all, which git ignores. With `--write`, those of the documentation are updated in docs/pictures, as
 * WebP, which is a third as large. `--page usage` takes only the pictures of one page.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { type RunningServer, serve } from '../src/app/serve.ts';
import { DEMO_PROJECT } from '../src/demo/demo.ts';
import { buildConsole } from './build-console.ts';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const root = fileURLToPath(new URL('../..', import.meta.url));
const pictures = join(root, 'docs/pictures');
const all = join(pictures, 'all');
const SPACE = 'demo';
/** Pages with a live stream are never idle. */
const QUIET_MS_MAX = 4_000;
/** Charts and drawers move for a moment. */
const SETTLE_MS = 400;

interface Look {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly colorScheme: 'light' | 'dark';
  readonly locale: 'en-GB' | 'ko-KR';
}

const wide = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };
const looks: readonly Look[] = [
  { name: 'light', ...wide, colorScheme: 'light', locale: 'en-GB' },
  { name: 'dark', ...wide, colorScheme: 'dark', locale: 'en-GB' },
  { name: 'phone', ...phone, colorScheme: 'light', locale: 'en-GB' },
  { name: 'korean', ...wide, colorScheme: 'light', locale: 'ko-KR' },
  { name: 'korean-phone', ...phone, colorScheme: 'dark', locale: 'ko-KR' },
];

interface Place {
  readonly name: string;
  readonly path: string;
  readonly signedOut?: true;
  /** What is done before the picture is taken. */
  readonly act?: (page: Page) => Promise<void>;
}

/** Each page in light; the README has one in dark. */
function isDocumented(place: Place, look: Look): boolean {
  if (look.name === 'dark') return place.name === 'usage';
  return look.name === 'light' && place.name !== 'account';
}

/** Small letters are still sharp. */
const WEBP_QUALITY = 0.85;
/** Runs in the browser, which can write the format. */
const toWebp = `async (png) => {
  const image = new Image();
  image.src = 'data:image/png;base64,' + png;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.width, image.height];
  canvas.getContext('2d').drawImage(image, 0, 0);
  return canvas.toDataURL('image/webp', ${WEBP_QUALITY}).split(',')[1];
}`;

const { values: wanted } = parseArgs({ options: { write: { type: 'boolean' }, page: { type: 'string' } } });
if (!existsSync(CHROMIUM))
  throw new Error(`${CHROMIUM} was not found. Install Chromium, or set CHROMIUM to its path.`);

buildConsole();
mkdirSync(all, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'tollgate-pictures-'));
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const env = { PORT: '0', OPS_PORT: '0', LOG_LEVEL: 'error' };
const server = await serve({ data: folder }, env, { say });
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ['--no-sandbox', '--disable-background-networking'],
});
try {
  if (!(await server.demoFilled)) throw new Error('The demo has no data; its log says why.');
  const cookie = await signIn(server);
  const places = (await findPlaces()).filter(({ name }) => wanted.page === undefined || name === wanted.page);
  for (const look of looks) await takeAll(browser, { look, places, cookie });
  if (wanted.write) await publish(browser, places);
} finally {
  await browser.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** The pages of a space are those of the side bar. */
async function findPlaces(): Promise<Place[]> {
  const { href } = new URL('../../console/src/app/pages.ts', import.meta.url);
  const { spacePages } = (await import(href)) as { spacePages: ReadonlyArray<{ path: string }> };
  return [
    { name: 'sign-in', path: '/sign-in', signedOut: true },
    ...spacePages.map(({ path }) => ({
      name: path,
      path: `/spaces/${SPACE}/${path}`,
      ...(path === 'playground' && { act: talk }),
    })),
    { name: 'log-viewer', path: `/spaces/${SPACE}/logs/${DEMO_PROJECT}` },
    { name: 'account', path: '/account' },
    { name: 'operator', path: '/operator' },
  ];
}

/** Two models answer side by side. */
async function talk(page: Page): Promise<void> {
  await page.getByRole('button', { name: /Create a playground key|플레이그라운드 키 만들기/ }).click();
  await page.getByRole('button', { name: /Compare with another model|다른 모델과 비교/ }).click();
  await page.getByLabel(/^(?:Prompt|프롬프트)$/).fill('Describe a quiet morning at a harbour in 20 words.');
  await page.getByRole('button', { name: /^(?:Send|보내기)$/ }).click();
  await page.locator('section[data-phase=answered]').nth(1).waitFor();
  await page.getByRole('tablist').evaluate((tabs) => tabs.scrollIntoView());
}

async function signIn({
  status,
  demoSignIn,
}: RunningServer): Promise<{ name: string; value: string; url: string }> {
  const url = status().baseUrl;
  const reply = await fetch(`${url}/api/console/session/link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: demoSignIn?.code }),
  });
  const [pair = ''] = (reply.headers.get('set-cookie') ?? '').split(';');
  const [name = '', value = ''] = pair.split('=');
  if (!reply.ok || value === '') throw new Error(`The demo could not be signed in to: ${reply.status}.`);
  return { name, value, url };
}

async function takeAll(
  of: Browser,
  {
    look,
    places,
    cookie,
  }: { look: Look; places: readonly Place[]; cookie: Awaited<ReturnType<typeof signIn>> },
): Promise<void> {
  const { width, height, colorScheme, locale } = look;
  const settings = { viewport: { width, height }, colorScheme, locale, timezoneId: 'Asia/Seoul' };
  const [person, stranger] = [await of.newContext(settings), await of.newContext(settings)];
  await person.addCookies([cookie]);
  for (const place of places)
    await take(place.signedOut ? stranger : person, { place, look, origin: cookie.url });
  await person.close();
  await stranger.close();
}

async function take(
  context: BrowserContext,
  { place, look, origin }: { place: Place; look: Look; origin: string },
): Promise<void> {
  const page = await context.newPage();
  page.on('pageerror', (error) => say(`${place.name} (${look.name}): ${String(error)}`));
  await page.goto(`${origin}/console${place.path}`);
  await settled(page);
  if (place.act !== undefined) {
    await place.act(page);
    await settled(page);
  }
  await page.screenshot({ path: join(all, `${place.name}.${look.name}.png`) });
  await page.close();
  say(`docs/pictures/all/${place.name}.${look.name}.png`);
}

async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle', { timeout: QUIET_MS_MAX }).catch(() => undefined);
  await page.waitForTimeout(SETTLE_MS);
}

async function publish(of: Browser, places: readonly Place[]): Promise<void> {
  const page = await of.newPage();
  for (const place of places)
    for (const look of looks.filter((one) => isDocumented(place, one))) {
      const name = `${place.name}.${look.name}`;
      const png = readFileSync(join(all, `${name}.png`)).toString('base64');
      const webp = await page.evaluate<string>(`(${toWebp})(${JSON.stringify(png)})`);
      writeFileSync(join(pictures, `${name}.webp`), Buffer.from(webp, 'base64'));
      say(`docs/pictures/${name}.webp`);
    }
  await page.close();
}
