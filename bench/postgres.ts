// `node bench/postgres.ts [durable]`: starts a PostgreSQL with a new, empty database for the other benchmarks and prints
// its address. When interrupted, it stops and deletes the files. Settings are the defaults, except that commits are durable
// only with `durable`, which `bench/ingestion.ts` needs.
import { once } from 'node:events';
import { startPostgres } from '../test/engines/postgres-server.ts';

const durable = process.argv[2] === 'durable' ? ['fsync=on', 'full_page_writes=on', 'synchronous_commit=on'] : [];
const server = await startPostgres(['shared_buffers=128MB', 'autovacuum=on', ...durable]);
process.stdout.write(`${server.url}\n`);
// Signal handlers do not keep the process alive.
const awake = setInterval(() => {}, 60_000);
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
clearInterval(awake);
await server.stop();
