/** `references upload`: uploads an image, video or audio file as a reference. */
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { SettingsError } from '../../app/settings.ts';
import { referenceKinds, referenceTracks } from '../../contract/reference-kinds.ts';
import type { ReferenceUpload } from '../../contract/references.ts';
import { MIB } from '../../kernel/bytes.ts';
import { randomBase62 } from '../../kernel/ids.ts';
import { SNIFF_BYTES } from '../../kernel/sniff-media.ts';
import { formatNamed, formatOfFilename, sniffFormat } from '../../media/media-format.ts';
import { argument, command, group, option } from '../command.ts';
import { printFields, printJson } from '../print.ts';
import { GatewayClient, KEY_NOTE } from './gateway-client.ts';
import { ByteProgress } from './progress.ts';

const upload = command({
  name: 'upload',
  help: 'upload a file and print its reference',
  examples: ['tollgate references upload cat.png'],
  arguments: { file: argument('<file>', 'an image, video or audio file') },
  options: {
    track: option('<track>', `${referenceTracks.join(' or ')} (registered with a provider)`, {
      default: 'file',
    }),
    type: option('<mime>', 'its media type, if it cannot be detected'),
  },
  note: KEY_NOTE,
  async run({ file, ...settings }, flags) {
    const made = await uploadReference(await GatewayClient.open(flags), file, settings);
    if (flags.json) printJson(made);
    else if (process.stdout.isTTY) printFields({ ...made });
    else process.stdout.write(`${made.reference}\n`);
  },
});

export const referenceCommands = group({
  name: 'references',
  help: 'upload images, videos and audio files as references for calls',
  commands: [upload],
});

export async function uploadReference(
  client: GatewayClient,
  path: string,
  settings: { track: string; type?: string | undefined },
): Promise<ReferenceUpload> {
  const file = await openFile(path);
  try {
    const { size } = await file.stat();
    const type = settings.type ?? (await typeOf(file, path));
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
      return await client.json<ReferenceUpload>(
        `/v1/references?track=${encodeURIComponent(settings.track)}`,
        {
          method: 'POST',
          headers: { 'content-type': form.contentType },
          body: ReadableStream.from(body()),
          duplex: 'half',
        },
      );
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
  throw new SettingsError(`${path} is not a file.`);
}

/** Detected from the bytes, or else from the name. */
async function typeOf(file: FileHandle, path: string): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFF_BYTES), 0, SNIFF_BYTES, 0);
  const format = sniffFormat(buffer.subarray(0, bytesRead)) ?? formatOfFilename(path);
  if (format !== null) return format.mimeType;
  throw new SettingsError(
    `${path} is not a supported image, video or audio file by its bytes or its name. If it is, set its type with --type.`,
  );
}

/** Checked before the upload, because the gateway would reject it. */
function checkSize(path: string, { size, type }: { size: number; type: string }): void {
  const kind = formatNamed(type)?.kind;
  if (kind === undefined || size <= referenceKinds[kind].bytesMax) return;
  const most = referenceKinds[kind].bytesMax / MIB;
  throw new SettingsError(`${path} is larger than ${most} MiB, the limit for ${kind} files.`);
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
