/** Starts the simulator on its own: `PORT` names the port, and the one line printed tells the address. */
import { startSimulator } from './simulator.ts';

const simulator = await startSimulator({ port: Number(process.env.PORT ?? 0) });
process.stdout.write(`${JSON.stringify({ url: simulator.url })}\n`);
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void simulator.stop());
