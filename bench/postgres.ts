// `node bench/postgres.ts [durable]`: a PostgreSQL for the other programs here, with a new, empty database whose address it
// prints, until it is interrupted; then its files go too. Settings are those it is installed with; a commit is on the disk
// only where that is asked for, as for what `bench/ingestion.ts` measures.
import { once } from 'node:events';
import { startPostgres } from '../test/engines/postgres-server.ts';

const durable = process.argv[2] === 'durable' ? ['fsync=on', 'full_page_writes=on', 'synchronous_commit=on'] : [];
const server = await startPostgres(['shared_buffers=128MB', 'autovacuum=on', ...durable]);
process.stdout.write(`${server.url}\n`);
// A signal is no reason to stay alive.
const awake = setInterval(() => {}, 60_000);
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
clearInterval(awake);
await server.stop();
