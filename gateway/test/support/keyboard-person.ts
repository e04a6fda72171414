/** Somebody who uses the console with the keyboard alone, and always looks where the focus is. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** More steps than any page has places for the focus. */
const STEPS_MAX = 80;

export interface Focus {
  /** What a screen reader calls it; empty if nothing has the focus. */
  readonly name: string;
  /** It has an outline, and is on the screen. */
  readonly visible: boolean;
  /** The title of the dialog that it is in; null: the page itself. */
  readonly dialog: string | null;
}

export class KeyboardPerson {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async focus(): Promise<Focus> {
    return await this.page.evaluate<Focus>(FOCUS);
  }

  /** Presses keys one after the other, such as `g` and `k`. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
  }

  /** Types and presses Enter faster than the page draws: both are in one task of it. */
  async enterAtOnce(text: string): Promise<void> {
    await this.page.evaluate<void>(`(() => {
      document.execCommand('insertText', false, ${JSON.stringify(text)});
      const enter = { key: 'Enter', bubbles: true, cancelable: true };
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', enter));
    })()`);
  }

  /** Goes on with the tab key to what is called so; the focus is visible at each step. */
  async tabTo(name: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    for (let step = 0; step < STEPS_MAX; step++) {
      await this.press(key);
      const at = await this.focus();
      if (at.name === '') continue;
      expect(at, 'the focus after the tab key').toMatchObject({ visible: true });
      if (at.name === name) return;
    }
    throw new Error(`The tab key does not reach "${name}".`);
  }

  /** Waits until the focus is on what is called so, in this dialog or in none, where it can be seen. */
  async isAt(name: string, dialog: string | null = null): Promise<void> {
    await expect.poll(() => this.focus()).toEqual({ name, visible: true, dialog });
  }
}

const FOCUS = `(() => {
  const at = document.activeElement;
  if (at === null || at === document.body) return { name: '', visible: false, dialog: null };
  const named = document.getElementById(at.getAttribute('aria-labelledby'));
  const name = at.getAttribute('aria-label') ?? (named ?? at.labels?.[0] ?? at).textContent;
  const { left, top, right, bottom } = at.getBoundingClientRect();
  const onScreen = right > left && bottom > top && right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
  const { outlineStyle, outlineWidth } = getComputedStyle(at);
  const outlined = outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
  const dialog = at.closest('dialog');
  const title = dialog && document.getElementById(dialog.getAttribute('aria-labelledby'))?.textContent;
  return { name: name.trim(), visible: outlined && onScreen, dialog: title };
})()`;
