/** The real console over a log stream that sends a fixed number of lines per second, without a database. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ConsoleSession } from '../src/contract/console.ts';
import { consoleFiles } from '../src/http/routes/console.ts';

const TICK_MS = 20;
/** A reader that takes less is not given more. */
const WAITING_BYTES_MAX = 4_000_000;
const TEXTS = [
  'GET /v1/models 200 12ms',
  '{"level":"info","path":"/v1/chat/completions","status":200,"ms":12}',
  '\u001b[32minfo\u001b[0m request \u001b[1mfinished\u001b[0m in 12 ms',
  '\u001b[31merror\u001b[0m the provider answered 503, trying the next route',
];
const SESSION: ConsoleSession = {
  person: { email: 'bench@example.com', nickname: 'bench', operator: false },
  spaces: [{ id: 'spc_bench', name: 'bench', role: 'member' }],
  csrf: '',
} as ConsoleSession;

export interface ViewerServer {
  readonly url: string;
  readonly sent: number;
  stop(): Promise<void>;
}

export async function startViewerServer(linesPerSecond: number): Promise<ViewerServer> {
  const files = consoleFiles();
  let sent = 0;
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const url = request.url ?? '';
    const file = files.find(url);
    if (file !== null) response.writeHead(200, file.headers).end(file.bytes);
    else if (url === '/api/console/visitor')
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ session: SESSION }));
    else if (/^\/api\/projects\/bench\/logs/.test(url)) stream(response);
    else response.writeHead(404).end();
  };
  const stream = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    let last = performance.now();
    let due = 0;
    const timer = setInterval(() => {
      const now = performance.now();
      due += ((now - last) / 1000) * linesPerSecond;
      last = now;
      if (response.writableLength > WAITING_BYTES_MAX) return;
      const count = Math.floor(due);
      due -= count;
      response.write(linesOf(sent, count));
      sent += count;
    }, TICK_MS);
    response.on('close', () => clearInterval(timer));
  };
  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get sent() {
      return sent;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function linesOf(from: number, count: number): string {
  const timeStamp = new Date().toISOString().replace('Z', '000000Z');
  let text = '';
  for (let n = from; n < from + count; n++) {
    const podName = `web-${n % 3}`;
    const content = `${TEXTS[n % TEXTS.length]} ${n}`;
    text += `${JSON.stringify({ content, podName, timeStamp, last: false, id: `${podName}/app/0@${n}-1.1` })}\n`;
  }
  return text;
}
