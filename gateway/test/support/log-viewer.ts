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
    return new LogViewers(gateway, logs, new ConsoleBrowser(logs.gateway));
  }

  /** Shows the viewer of a project that no other test uses, and its first stream. */
  async view(query = '', look: Look = {}): Promise<OpenedViewer> {
    const project = `project-${++this.#projects}`;
    const path = `/spaces/acme/logs/${project}${query}`;
    const opened = await this.browser.open(path, { email: LogViewers.email, ...look });
    return { ...opened, project, stream: await this.logs.next(project) };
  }

  async stop(): Promise<void> {
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
