/** Somebody in front of the log viewer of a space, whose streams the test writes by hand. */
import type { Page } from 'playwright-core';
import { ConsoleBrowser, type Look, type Opened } from './console-browser.ts';
import { startGateway, type TestGateway } from './gateway.ts';
import { ScriptedLogs, type ScriptedStream } from './scripted-logs.ts';

export interface OpenedViewer extends Opened {
  readonly project: string;
  readonly stream: ScriptedStream;
}

export class LogViewers {
  static readonly email = 'ann@example.com';
  readonly gateway: TestGateway;
  readonly logs: ScriptedLogs;
  readonly browser: ConsoleBrowser;
  /** Opening a page anew would take most of the time of a test, so tests share one. */
  #shared: Opened | null = null;
  #projects = 0;

  private constructor(gateway: TestGateway, logs: ScriptedLogs, browser: ConsoleBrowser) {
    this.gateway = gateway;
    this.logs = logs;
    this.browser = browser;
  }

  static async start(): Promise<LogViewers> {
    const gateway = await startGateway();
    await gateway.admin('members.add', { space: 'acme', email: LogViewers.email, role: 'member' });
    const logs = await ScriptedLogs.start(gateway);
    return new LogViewers(gateway, logs, await ConsoleBrowser.start(logs.gateway));
  }

  /** Shows the viewer of a project that no other test uses, and its first stream. */
  async view(query = ''): Promise<OpenedViewer> {
    const project = `project-${++this.#projects}`;
    const opened = await this.#open(`/spaces/acme/logs/${project}${query}`);
    return { ...opened, project, stream: await this.logs.next(project) };
  }

  /** The same on a page of its own. */
  async viewIn(look: Look, query = ''): Promise<OpenedViewer> {
    const project = `project-${++this.#projects}`;
    const opened = await this.browser.open(`/spaces/acme/logs/${project}${query}`, {
      email: LogViewers.email,
      ...look,
    });
    return { ...opened, project, stream: await this.logs.next(project) };
  }

  async #open(path: string): Promise<Opened> {
    if (this.#shared === null) {
      this.#shared = await this.browser.open(path, { email: LogViewers.email });
      return this.#shared;
    }
    await this.#shared.page.goto(`${this.logs.gateway.url}/console${path}`);
    this.#shared.troubles.length = 0;
    return this.#shared;
  }

  async stop(): Promise<void> {
    await this.browser.stop();
    await this.logs.stop();
    await this.gateway.stop();
  }
}

/** Waits for a state of the connection. */
export async function seenState(page: Page, conn: string, more = ''): Promise<void> {
  await page.locator(`[data-conn=${conn}]${more}`).waitFor();
}

/** Waits until this many lines are in the buffer. */
export async function seenLines(page: Page, count: number): Promise<void> {
  await page.locator(`[data-lines="${count}"]`).waitFor();
}

/** The texts of the lines that are drawn. */
export async function drawnTexts(page: Page): Promise<string[]> {
  return await page.evaluate(
    `[...document.querySelectorAll('[role=log] [data-place]:not([data-event]) > span:last-child')].map((row) => row.textContent)`,
  );
}

/** The first row that is wholly visible: its text, and its pixel in the window. */
export async function firstVisible(page: Page): Promise<{ text: string; y: number }> {
  return await page.evaluate(`(() => {
    const top = document.querySelector('[role=log]').getBoundingClientRect().top;
    const row = [...document.querySelectorAll('[role=log] [data-place]')]
      .find((row) => row.getBoundingClientRect().top >= top);
    return { text: row.textContent, y: row.getBoundingClientRect().top };
  })()`);
}

/** Pixels between the view and its end. */
export async function pixelsBelow(page: Page): Promise<number> {
  return await page.evaluate(`(() => {
    const { scrollHeight, scrollTop, clientHeight } = document.querySelector('[role=log]');
    return Math.round(scrollHeight - scrollTop - clientHeight);
  })()`);
}
