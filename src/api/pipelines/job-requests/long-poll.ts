import { setTimeout as pause } from 'node:timers/promises';
import { findRunner, type Runner } from '#authorization/runners.ts';
import type { Config } from '#config.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { addMilliseconds, timestamp } from '#runtime/clock.ts';
import { loadSettings } from '#settings/settings.ts';
import { getQueueVersion } from '../processing/index.ts';

/** Poll interval of a held request in milliseconds. Each poll reads a few rows, which another process may have changed. */
const POLL_INTERVAL_MS = 1000;

/** Limit of held requests per server. */
export const MAX_HELD_REQUESTS = 500;

/** Number of held requests per server, keyed by its configuration. */
const HELD_REQUESTS = new WeakMap<Config, number>();

/** Running polls by runner. */
const PENDING_POLLS = new WeakMap<Config, Map<number, Promise<RunnerQueueState | null>>>();

/** A runner and the version of its queue. */
export interface RunnerQueueState {
  readonly runner: Runner;
  readonly value: string;
}

/**
 * Returns the queue version of a runner. While the runner already knows it, the request is held for as long as the setting says
 * (0: not at all; contract/runners.md §3.3). Requests beyond the limit are answered at once.
 */
export async function waitForQueueChange(
  services: Services,
  runner: Runner,
  known: string | null | undefined,
  { client }: Pick<IncomingRequest, 'client'>,
): Promise<RunnerQueueState> {
  const { reader } = services.database;
  const now = { runner, value: await getQueueVersion(reader, runner, timestamp(services.clock)) };
  if (now.value !== known || runner.paused) return now;
  const { runner_long_polling_seconds: seconds } = await loadSettings(reader);
  const held = HELD_REQUESTS.get(services.config) ?? 0;
  if (seconds === 0 || held >= MAX_HELD_REQUESTS) return now;
  HELD_REQUESTS.set(services.config, held + 1);
  try {
    return await pollUntilChanged(services, now, seconds, client);
  } finally {
    HELD_REQUESTS.set(services.config, (HELD_REQUESTS.get(services.config) ?? 1) - 1);
  }
}

/** Polls until the version changes, the time is over, or the client disconnects. */
async function pollUntilChanged(
  services: Services,
  first: RunnerQueueState,
  seconds: number,
  client: IncomingRequest['client'],
): Promise<RunnerQueueState> {
  const { clock, isServing } = services;
  let now = first;
  const until = addMilliseconds(timestamp(clock), seconds * 1000);
  while (now.value === first.value && timestamp(clock) < until && !client.isDisconnected && isServing()) {
    const seen = await sharedPoll(services, now.runner.id);
    if (seen === null) return now;
    now = seen;
  }
  return now;
}

/** All held requests of a runner share one poll, because anyone with its token can send hundreds. */
function sharedPoll(services: Services, id: number): Promise<RunnerQueueState | null> {
  const looks = PENDING_POLLS.get(services.config) ?? new Map<number, Promise<RunnerQueueState | null>>();
  PENDING_POLLS.set(services.config, looks);
  const begun = looks.get(id);
  if (begun !== undefined) return begun;
  const look = pollOnce(services, id).finally(() => looks.delete(id));
  looks.set(id, look);
  return look;
}

/** Returns null if the runner was deleted. */
async function pollOnce({ database: { reader }, clock }: Services, id: number): Promise<RunnerQueueState | null> {
  await pause(POLL_INTERVAL_MS);
  const runner = await findRunner(reader, id);
  return runner && { runner, value: await getQueueVersion(reader, runner, timestamp(clock)) };
}
