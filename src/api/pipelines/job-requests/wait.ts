import { setTimeout as pause } from 'node:timers/promises';
import { findRunner, type Runner } from '../../../access/runners.ts';
import { momentAfter, timestamp } from '../../../clock.ts';
import type { Incoming } from '../../../http/request/incoming.ts';
import type { Rooms } from '../../../http/rooms.ts';
import { readSettings } from '../../../settings/settings.ts';
import { readQueueValue } from '../processing/index.ts';

/** How often a question that is held looks again, in milliseconds: a few rows, of which another process may have changed one. */
const LOOK_AGAIN = 1000;

/** A runner as it is now, and the value of its queue. */
export interface Standing {
  readonly runner: Runner;
  readonly value: string;
}

/**
 * The queue value of a runner. While that is the one it knows already, and so there is nothing for it, the question is held for
 * as long as the setting says, 0 for not at all (contract/runners.md §3.3).
 */
export async function queueValue(
  { database, clock, isServing }: Rooms,
  runner: Runner,
  known: string | null | undefined,
  { client }: Pick<Incoming, 'client'>,
): Promise<Standing> {
  const { reader } = database;
  const first = timestamp(clock);
  let now: Standing = { runner, value: await readQueueValue(reader, runner, first) };
  if (now.value !== known || runner.paused) return now;
  const { runner_long_polling_seconds: seconds } = await readSettings(reader);
  const until = momentAfter(first, seconds * 1000);
  while (now.value === known && timestamp(clock) < until && !client.gone && isServing()) {
    await pause(LOOK_AGAIN);
    const there = await findRunner(reader, runner.id);
    if (there === null) return now;
    now = { runner: there, value: await readQueueValue(reader, there, timestamp(clock)) };
  }
  return now;
}
