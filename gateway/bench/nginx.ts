/** nginx as a bare reverse proxy: what passing a call on costs when nobody looks at it. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accepts, freePort } from './ports.ts';
import { childrenOf } from './process-figures.ts';
import type { Stage } from './stage.ts';
import { pidOf, type Target, waitFor } from './target.ts';

const START_MS_MAX = 10_000;

export function findNginx(): string | null {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, 'nginx')).find((file) => existsSync(file)) ?? null;
}

export async function startNginx(stage: Stage, file: string, upstreamPort: number): Promise<Target> {
  const folder = stage.makeFolder('nginx');
  const port = await freePort();
  const config = join(folder, 'nginx.conf');
  writeFileSync(config, configText({ folder, port, upstreamPort }));
  const args = ['-p', folder, '-c', config, '-e', 'stderr'];
  const master = pidOf(stage.spawn('nginx', { file, args, env: {}, cwd: folder }));
  await Promise.race([
    stage.broken,
    waitFor(START_MS_MAX, 'nginx does not listen', async () => ((await accepts(port)) ? true : null)),
  ]);
  return {
    name: 'nginx',
    port,
    key: null,
    pids: () => [master, ...childrenOf(master)],
    chargedCalls: null,
    profileFolder: null,
  };
}

function configText(at: { folder: string; port: number; upstreamPort: number }): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
worker_processes 1;
worker_rlimit_nofile 10000;
pid ${at.folder}/nginx.pid;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 8192; }
http {
  access_log off;
  tcp_nodelay on;
  keepalive_timeout 120s;
  keepalive_requests 100000000;
  client_body_buffer_size 64k;
  ${temporary.map((name) => `${name}_temp_path ${at.folder}/${name};`).join('\n  ')}
  upstream provider {
    server 127.0.0.1:${at.upstreamPort};
    keepalive 256;
    keepalive_requests 100000000;
  }
  server {
    listen 127.0.0.1:${at.port} backlog=4096;
    location / {
      proxy_pass http://provider;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }
  }
}
`;
}
