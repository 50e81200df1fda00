import type { Connection, RequestConnection } from '../engines/engine.ts';
import { type OwnCommits, readSnapshot } from './commit-tracker.ts';
import { ReadMemory } from './query-cache.ts';
import type { TableVersions } from './table-versions.ts';

/**
 * PostgreSQL tells by a snapshot's text which transactions reads see: while it is the same, nobody has committed
 * anything, here or in another process; of those of this process it is known which tables they have written. One such question serves all requests that were there when it was sent, so that
 * what has been read before costs a request at most one round trip, and often less.
 */
export interface Snapshots {
  /** For one request: what it takes from memory is no older than this call, nor than a commit of this process. */
  connection(): RequestConnection;
  /** To be called when this process has committed. */
  committed(): void;
  forget(): void;
}

const SNAPSHOT = { sql: 'select pg_current_snapshot()::text as now', parameters: [], name: 'hearth_snapshot' };

/** Who knows of the transactions of this process; `ready`: what is to be waited for before a question. */
interface Following {
  readonly own: OwnCommits;
  readonly versions: TableVersions;
  ready(): Promise<void> | undefined;
}

export function followSnapshots({ execute }: Connection, { own, versions, ready }: Following): Snapshots {
  const memory = new ReadMemory(versions);
  let last: string | undefined;
  let strangers = 0;
  /** What only we have committed makes old what was read of its tables; what others have, everything. */
  const moveTo = async (now: string) => {
    if (now === last) return;
    if (last === undefined || !(await own.follow(readSnapshot(last), readSnapshot(now)))) strangers++;
    last = now;
    memory.moveTo(strangers);
  };
  const question = joined(async () => {
    const isReady = ready();
    if (isReady) await isReady;
    const { rows } = await execute(SNAPSHOT);
    const { now } = rows[0] as { now: string };
    // Questions follow one another, so that the last answer is of the latest state.
    await moveTo(now);
    return now;
  });
  let commits = 0;
  return {
    connection() {
      let asked: Promise<string> | undefined;
      let since = commits;
      let noted: ReturnType<ReadMemory['notes']> | undefined;
      const version = () => {
        if (asked === undefined || since !== commits) {
          since = commits;
          asked = question().then((now) => {
            noted ??= memory.notes();
            return now;
          });
        }
        return asked;
      };
      return {
        version,
        reads: () => (noted ?? memory.notes()).reads(),
        async execute(statement) {
          await version();
          noted?.note(statement);
          return memory.read(statement, execute);
        },
      };
    },
    committed() {
      commits++;
    },
    forget: () => memory.forget(),
  };
}

/** One at a time: whoever comes while `ask` is under way shares the next one, which begins after that. */
function joined<T>(ask: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    next = undefined;
    const asked = ask();
    running = asked;
    const over = () => {
      if (running === asked) running = undefined;
    };
    asked.then(over, over);
    return asked;
  };
  return () => {
    if (running === undefined) return begin();
    next ??= running.then(begin, begin);
    return next;
  };
}
