import { setTimeout as pause } from 'node:timers/promises';
import { findRunner, type Runner } from '#authorization/runners.ts';
import type { Config } from '#config.ts';
import type { Incoming } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { momentAfter, timestamp } from '#runtime/clock.ts';
import { readSettings } from '#settings/settings.ts';
import { readQueueValue } from '../processing/index.ts';

/** How often a question that is held looks again, in milliseconds: a few rows, of which another process may have changed one. */
const LOOK_AGAIN = 1000;

/** So many questions a server holds at most: each of them looks again and again. */
export const MOST_HELD = 500;

/** How many each server holds. It is known by its configuration. */
const HELD = new WeakMap<Config, number>();

/** The looks that are under way, by the runner. */
const LOOKS = new WeakMap<Config, Map<number, Promise<Standing | null>>>();

/** A runner as it is now, and the value of its queue. */
export interface Standing {
  readonly runner: Runner;
  readonly value: string;
}

/**
 * The queue value of a runner. While that is the one it knows already, and so there is nothing for it, the question is held for
 * as long as the setting says, 0 for not at all (contract/runners.md §3.3); one too many is answered at once.
 */
export async function queueValue(
  services: Services,
  runner: Runner,
  known: string | null | undefined,
  { client }: Pick<Incoming, 'client'>,
): Promise<Standing> {
  const { reader } = services.database;
  const now = { runner, value: await readQueueValue(reader, runner, timestamp(services.clock)) };
  if (now.value !== known || runner.paused) return now;
  const { runner_long_polling_seconds: seconds } = await readSettings(reader);
  const held = HELD.get(services.config) ?? 0;
  if (seconds === 0 || held >= MOST_HELD) return now;
  HELD.set(services.config, held + 1);
  try {
    return await changed(services, now, seconds, client);
  } finally {
    HELD.set(services.config, (HELD.get(services.config) ?? 1) - 1);
  }
}

/** Looks until the value is another one, the time is over or nobody waits any more. */
async function changed(
  services: Services,
  first: Standing,
  seconds: number,
  client: Incoming['client'],
): Promise<Standing> {
  const { clock, isServing } = services;
  let now = first;
  const until = momentAfter(timestamp(clock), seconds * 1000);
  while (now.value === first.value && timestamp(clock) < until && !client.gone && isServing()) {
    const seen = await nextLook(services, now.runner.id);
    if (seen === null) return now;
    now = seen;
  }
  return now;
}

/** However many of a runner's questions are held, they look together: whoever has its token can ask hundreds. */
function nextLook(services: Services, id: number): Promise<Standing | null> {
  const looks = LOOKS.get(services.config) ?? new Map<number, Promise<Standing | null>>();
  LOOKS.set(services.config, looks);
  const begun = looks.get(id);
  if (begun !== undefined) return begun;
  const look = lookAgain(services, id).finally(() => looks.delete(id));
  looks.set(id, look);
  return look;
}

/** Null: the runner is gone. */
async function lookAgain({ database: { reader }, clock }: Services, id: number): Promise<Standing | null> {
  await pause(LOOK_AGAIN);
  const runner = await findRunner(reader, id);
  return runner && { runner, value: await readQueueValue(reader, runner, timestamp(clock)) };
}
