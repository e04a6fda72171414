/** `backup` and `restore`: an installation as one file. */
import { requireDatabase } from '../admin/no-installation.ts';
import { argument, command } from '../command.ts';
import { printFields } from '../print.ts';
import { readInstallation } from '../read-installation.ts';

export const backupCommand = command({
  name: 'backup',
  help: 'write the database and all files to one file, while servers run',
  note:
    'The file holds digests of keys, password hashes and the key that signs links. Only its user can read it; keep it\n' +
    'so. The configuration and the logs of builds are not in it.',
  examples: ['tollgate backup acme.tar', 'tollgate backup /backups'],
  arguments: { path: argument('<file|folder>', 'a new file, or a folder for one with the time in its name') },
  async run({ path }, flags) {
    const { settings } = await readInstallation(flags);
    requireDatabase(settings, flags);
    const { openBackupSource } = await import('../../app/backup-source.ts');
    const { backUp } = await import('../../maintenance/back-up.ts');
    const { systemClock: clock } = await import('../../kernel/time.ts');
    const interrupted = new AbortController();
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupted.abort());
    const source = await openBackupSource(settings, { clock, signal: interrupted.signal });
    try {
      const report = await backUp(path, source);
      printFields({ ...report }, flags);
      if (report.missing_blobs > 0) process.stderr.write(missing(report.missing_blobs));
    } finally {
      await source.close();
    }
  },
});

export const restoreCommand = command({
  name: 'restore',
  help: 'restore a backup into an empty installation, and verify its books; exits with 1 if they disagree',
  note:
    'The target is the installation of --config, --data and DATABASE_URL, with either database and with files in a\n' +
    'folder or a bucket, whatever the backup was made from. Start servers only afterwards.',
  examples: [
    'tollgate restore acme.tar --data ./restored',
    'tollgate restore /backups --config staging.yaml',
  ],
  arguments: { path: argument('<file|folder>', 'the backup, or a folder whose newest backup is restored') },
  async run({ path }, flags) {
    const { settings } = await readInstallation(flags);
    const { openRestoreTarget } = await import('../../app/backup-source.ts');
    const { findBackup, restoreBackup } = await import('../../maintenance/restore.ts');
    const { systemClock: clock } = await import('../../kernel/time.ts');
    const { migrated, ...report } = await restoreBackup(findBackup(path), () =>
      openRestoreTarget(settings, clock),
    );
    printFields({ ...report, migrated: flags.json ? migrated : migrated.join(' ') || null }, flags);
    if (report.missing_blobs > 0) process.stderr.write(missing(report.missing_blobs));
    if (report.disagreements > 0) {
      process.stderr.write('The books disagree. "tollgate ledger verify" shows where.\n');
      process.exitCode = 1;
    }
  },
});

function missing(count: number): string {
  return `Files that the database names and the store did not have: ${count}. They are not in the backup.\n`;
}
