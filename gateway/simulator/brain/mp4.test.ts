/** The films of the simulator in a real browser: they play, last as long and look as was asked for. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { colourOf } from './colours.ts';
import { encodeMp4 } from './mp4.ts';

const CHROMIUM = '/usr/bin/chromium';
/** A browser's own arithmetic from one way to tell colours to the other. */
const TOLERANCE = 16;
const hasBrowser = existsSync(CHROMIUM);

if (!hasBrowser) {
  const message = `${CHROMIUM} was not found: films are not played.`;
  if (process.env.TOLLGATE_TEST_BROWSER === 'required') throw new Error(message);
  process.stderr.write(`${message}\n`);
}

let browser: Browser;
beforeAll(async () => {
  if (hasBrowser) browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
});
afterAll(() => browser?.close());

test('a film is small, and can be filled up to a size', () => {
  const asked = { width: 1280, height: 720, seconds: 8, fps: 24, colour: colourOf('red') };
  expect(encodeMp4(asked).length).toBeLessThan(50_000);
  expect(encodeMp4({ ...asked, padTo: 1_000_000 }).length).toBe(1_000_000);
});

test.runIf(hasBrowser).for([
  ['red', 1280, 720, 4],
  ['blue', 1920, 1080, 12],
] as const)('a %s film of %d x %d points and %d seconds plays', async ([name, width, height, seconds]) => {
  const colour = colourOf(name);
  const file = encodeMp4({ width, height, seconds, fps: 24, colour });
  const page = await browser.newPage();
  const shown = await page.evaluate(`(${PLAY})('${file.toString('base64')}')`);
  await page.close();
  expect(shown).toMatchObject({ width, height, error: null });
  expect((shown as { duration: number }).duration).toBeCloseTo(seconds, 2);
  const { first, last } = shown as Record<string, number[]>;
  const wanted = [colour.red, colour.green, colour.blue];
  for (const [i, value] of [...(first as number[]), ...(last as number[])].entries()) {
    expect(Math.abs(value - (wanted[i % 3] as number)), `${first} ${last}`).toBeLessThanOrEqual(TOLERANCE);
  }
});

/** In the page: the first picture, then playing from shortly before the end, the last one. */
const PLAY = `async (base64) => {
  const video = document.createElement('video');
  video.muted = true;
  const happened = (name) => new Promise((resolve, reject) => {
    video.addEventListener(name, resolve, { once: true });
    video.addEventListener('error', () => reject(new Error(video.error?.message)), { once: true });
  });
  const canvas = document.createElement('canvas');
  const look = async () => {
    const { videoWidth: width, videoHeight: height } = video;
    Object.assign(canvas, { width, height });
    const context = canvas.getContext('2d');
    const point = (x, y) => [...context.getImageData(x, y, 1, 1).data];
    // The seek can finish before the frame is decoded; until then drawImage draws nothing.
    for (;;) {
      context.drawImage(video, 0, 0);
      if (point(0, 0)[3] === 255) break;
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    const at = (x, y) => point(x, y).slice(0, 3);
    return [...at(0, 0), ...at(width >> 1, height >> 1), ...at(width - 1, height - 1)];
  };
  try {
    const loaded = happened('canplaythrough');
    video.src = 'data:video/mp4;base64,' + base64;
    await loaded;
    const seek = async (seconds) => {
      const sought = happened('seeked');
      video.currentTime = seconds;
      await sought;
    };
    await seek(0.1);
    const first = await look();
    await seek(video.duration - 0.3);
    const ended = happened('ended');
    await video.play();
    await ended;
    const { videoWidth: width, videoHeight: height, duration } = video;
    return { width, height, duration, first, last: await look(), error: null };
  } catch (error) {
    return { error: String(error) };
  }
}`;
