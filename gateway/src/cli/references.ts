/** `tollgate ref upload`: makes a reference of a picture, film or sound. */

import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { SettingsError } from '../app/settings.ts';
import { referenceKinds, referenceTracks } from '../contract/reference-kinds.ts';
import type { ReferenceUpload } from '../contract/references.ts';
import { MIB } from '../kernel/bytes.ts';
import { randomBase62 } from '../kernel/ids.ts';
import { SNIFF_BYTES } from '../kernel/sniff-media.ts';
import { formatNamed, formatOfFilename, sniffFormat } from '../media/media-format.ts';
import { flagsOf } from './administer.ts';
import { type ClientFlags, GatewayClient, URL_OPTION } from './gateway-client.ts';
import { printFields, printJson } from './print.ts';
import { ByteProgress } from './progress.ts';

interface UploadFlags extends ClientFlags {
  readonly track: string;
  readonly type?: string;
}

export function addReferenceCommands(program: Command): void {
  const ref = program.command('ref').description('references: pictures, films and sounds for generations');
  ref
    .command('upload <file>')
    .description('upload a file and print its reference; the key is TOLLGATE_KEY')
    .option(...URL_OPTION)
    .option('--track <track>', `${referenceTracks.join(' or ')}: to be registered with a provider`, 'file')
    .option('--type <mime>', 'what it is, where that cannot be told from the file')
    .action(async (file: string, _: unknown, command: Command) => {
      const flags = flagsOf<UploadFlags>(command);
      const made = await uploadReference(await GatewayClient.open(flags), file, flags);
      if (flags.json) printJson(made);
      else if (process.stdout.isTTY) printFields({ ...made }, { json: false });
      else process.stdout.write(`${made.reference}\n`);
    });
}

export async function uploadReference(
  client: GatewayClient,
  path: string,
  flags: Pick<UploadFlags, 'track' | 'type'>,
): Promise<ReferenceUpload> {
  const file = await openFile(path);
  try {
    const { size } = await file.stat();
    const type = flags.type ?? (await typeOf(file, path));
    checkSize(path, { size, type });
    const form = formAround({ filename: basename(path), type });
    const progress = new ByteProgress('uploading', size);
    const body = async function* (): AsyncGenerator<Uint8Array> {
      yield form.head;
      for await (const piece of file.createReadStream({ start: 0, autoClose: false })) {
        yield piece as Buffer;
        progress.add((piece as Buffer).length);
      }
      yield form.tail;
    };
    try {
      return await client.json<ReferenceUpload>(`/v1/references?track=${encodeURIComponent(flags.track)}`, {
        method: 'POST',
        headers: { 'content-type': form.contentType },
        body: ReadableStream.from(body()),
        duplex: 'half',
      });
    } finally {
      progress.end();
    }
  } finally {
    await file.close();
  }
}

async function openFile(path: string): Promise<FileHandle> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new SettingsError(`${path} cannot be read (${error.code}).`);
  });
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new SettingsError(`${path} is no file.`);
}

/** The bytes know best; the name is asked only where they say nothing. */
async function typeOf(file: FileHandle, path: string): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFF_BYTES), 0, SNIFF_BYTES, 0);
  const format = sniffFormat(buffer.subarray(0, bytesRead)) ?? formatOfFilename(path);
  if (format !== null) return format.mimeType;
  throw new SettingsError(
    `${path} is nothing that can be a reference, as far as its bytes and its name tell; say what it is with --type.`,
  );
}

/** What the gateway would refuse is not sent first. */
function checkSize(path: string, { size, type }: { size: number; type: string }): void {
  const kind = formatNamed(type)?.kind;
  if (kind === undefined || size <= referenceKinds[kind].bytesMax) return;
  const most = referenceKinds[kind].bytesMax / MIB;
  throw new SettingsError(`${path} is larger than ${most} MiB, which is the most for ${kind} files.`);
}

function formAround(file: { filename: string; type: string }) {
  const boundary = `tollgate-${randomBase62(32)}`;
  const name = file.filename.replaceAll(/["\\\p{Cc}]/gu, '_').slice(-200);
  const head =
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n` +
    `Content-Type: ${file.type.replaceAll(/[\r\n]/g, '')}\r\n\r\n`;
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    head: Buffer.from(head),
    tail: Buffer.from(`\r\n--${boundary}--\r\n`),
  };
}
