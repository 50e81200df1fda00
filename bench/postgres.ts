// `node bench/postgres.ts`: a PostgreSQL for the other programs here, with a new, empty database whose address it prints,
// until it is interrupted; then its files go too. Settings are those it is installed with, but for durability.
import { once } from 'node:events';
import { startPostgres } from '../test/engines/postgres-server.ts';

const server = await startPostgres(['shared_buffers=128MB', 'autovacuum=on']);
process.stdout.write(`${server.url}\n`);
// A signal is no reason to stay alive.
const awake = setInterval(() => {}, 60_000);
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
clearInterval(awake);
await server.stop();
