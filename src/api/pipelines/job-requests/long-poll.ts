import { setTimeout as pause } from 'node:timers/promises';
import { findRunner, type Runner } from '#authorization/runners.ts';
import type { Config } from '#config.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { addMilliseconds, timestamp } from '#runtime/clock.ts';
import { loadSettings } from '#settings/settings.ts';
import { getQueueVersion } from '../processing/index.ts';

type PollServices = Pick<Services, 'config' | 'clock' | 'database' | 'isServing'>;

/**
 * Poll interval of a held request in milliseconds. Other processes may change the queue, so each poll reads the
 * database.
 */
const POLL_INTERVAL_MS = 1000;

/** Maximum number of held requests per server. */
export const MAX_HELD_REQUESTS = 500;

/** Number of held requests per server, keyed by its configuration. */
const HELD_REQUESTS = new WeakMap<Config, number>();

/** Running polls by runner id, for each server, keyed by its configuration. */
const PENDING_POLLS = new WeakMap<Config, Map<number, Promise<RunnerQueueState | null>>>();

/** A runner and the version of its queue. */
interface RunnerQueueState {
  readonly runner: Runner;
  readonly version: string;
}

/**
 * Returns a runner and its queue version. Waits while the version equals `knownVersion`, at most for the seconds of the
 * setting `runner_long_polling_seconds` (0: no wait; contract/runners.md §3.3). Beyond the limit of held requests it
 * returns immediately.
 */
export async function waitForQueueChange(
  services: PollServices,
  runner: Runner,
  knownVersion: string | null | undefined,
  { client }: Pick<IncomingRequest, 'client'>,
): Promise<RunnerQueueState> {
  const { reader } = services.database;
  const state = { runner, version: await getQueueVersion(reader, runner, timestamp(services.clock)) };
  if (state.version !== knownVersion || runner.paused) return state;
  const { runner_long_polling_seconds: seconds } = await loadSettings(reader);
  const heldCount = HELD_REQUESTS.get(services.config) ?? 0;
  if (seconds === 0 || heldCount >= MAX_HELD_REQUESTS) return state;
  HELD_REQUESTS.set(services.config, heldCount + 1);
  try {
    return await pollUntilChanged(services, state, seconds, client);
  } finally {
    HELD_REQUESTS.set(services.config, (HELD_REQUESTS.get(services.config) ?? 1) - 1);
  }
}

/** Polls until the version changes, the time is over, the client disconnects, or the server stops. */
async function pollUntilChanged(
  services: PollServices,
  initialState: RunnerQueueState,
  seconds: number,
  client: IncomingRequest['client'],
): Promise<RunnerQueueState> {
  const { clock, isServing } = services;
  let state = initialState;
  const deadline = addMilliseconds(timestamp(clock), seconds * 1000);
  while (
    state.version === initialState.version &&
    timestamp(clock) < deadline &&
    !client.isDisconnected &&
    isServing()
  ) {
    const latest = await sharedPoll(services, state.runner.id);
    if (latest === null) return state;
    state = latest;
  }
  return state;
}

/** Shares one poll between all held requests of a runner, because anyone with its token can send hundreds. */
function sharedPoll(
  services: Pick<Services, 'config' | 'clock' | 'database'>,
  id: number,
): Promise<RunnerQueueState | null> {
  const polls = PENDING_POLLS.get(services.config) ?? new Map<number, Promise<RunnerQueueState | null>>();
  PENDING_POLLS.set(services.config, polls);
  const runningPoll = polls.get(id);
  if (runningPoll !== undefined) return runningPoll;
  const poll = pollOnce(services, id).finally(() => polls.delete(id));
  polls.set(id, poll);
  return poll;
}

/** Returns the runner and its queue version after the poll interval; null if the runner was deleted. */
async function pollOnce(
  { database: { reader }, clock }: Pick<Services, 'clock' | 'database'>,
  id: number,
): Promise<RunnerQueueState | null> {
  await pause(POLL_INTERVAL_MS);
  const runner = await findRunner(reader, id);
  return runner && { runner, version: await getQueueVersion(reader, runner, timestamp(clock)) };
}
