/** Loaded into the gateway of a soak run: on SIGUSR2 it collects all garbage, so that what remains is in use. */
process.on('SIGUSR2', () => (globalThis as { gc?: () => void }).gc?.());
