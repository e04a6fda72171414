/** The options of `tollgate` itself, which every command takes and every help shows. */

export const globalOptions = [
  ['--data <folder>', 'the data folder of the installation (TOLLGATE_DATA, ./data)'],
  ['--url <url>', 'the server (TOLLGATE_URL; to administer it, sign in or set TOLLGATE_TOKEN)'],
  ['--config <file>', 'the configuration file (TOLLGATE_CONFIG, ./tollgate.yaml)'],
  ['--json', 'print JSON, also for errors'],
  ['--verbose', 'show the stack of an unexpected error'],
] as const;
