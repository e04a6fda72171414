/** `media get`: downloads the file of a job. */
import { once } from 'node:events';
import { extensionOf } from '../../media/media-format.ts';
import { argument, command, flag, group, option } from '../command.ts';
import { printFields } from '../print.ts';
import { downloadMedia, linkTo } from './download-media.ts';
import { GatewayClient, KEY_NOTE } from './gateway-client.ts';
import { saveMedia } from './save-media.ts';

const get = command({
  name: 'get',
  help: 'download a file and verify its checksum; resumes if interrupted',
  examples: ['tollgate media get med_01j9x8w7v6t5s4r3q2p1n0m9k8 -o kite.mp4'],
  arguments: { id: argument('<media_id>', 'the id of the file') },
  options: {
    output: option(
      '<file>',
      'the file to write; "-" is standard output (default: MEDIA_ID and its extension)',
      {
        short: 'o',
      },
    ),
    force: flag('overwrite an existing file'),
  },
  note: KEY_NOTE,
  async run({ id, output, force }, flags) {
    const client = await GatewayClient.open(flags);
    const first = await linkTo(client, id);
    if (output === '-') {
      await downloadMedia(client, first, writeOut);
      return;
    }
    const path = output ?? `${id}${extensionOf(first.mime_type)}`;
    const { bytes, sha256, checked } = await saveMedia(client, first, { path, force });
    printFields({ file: path, bytes, sha256, checked }, flags);
  },
});

export const mediaCommands = group({
  name: 'media',
  help: 'download the files that jobs produced',
  commands: [get],
});

async function writeOut(bytes: Uint8Array): Promise<void> {
  if (!process.stdout.write(bytes)) await once(process.stdout, 'drain');
}
