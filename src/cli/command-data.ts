import { ANONYMOUS, type Caller } from '#authentication/caller.ts';
import { findUserByUsername, type User } from '#authentication/users/users.ts';
import { CommandFailed } from '#backup/command-failed.ts';
import { createProgress } from '#backup/progress.ts';
import { type ServerData, withServer } from '#backup/server-data.ts';
import type { Config } from '#config.ts';
import type { Reader } from '#database/database.ts';
import { listPendingMigrations } from '#database/migrate.ts';
import { toUniqueFailure, type UniqueErrors, type UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, type FieldErrors, isFailure } from '#runtime/failure.ts';
import { createCommandUnitOfWork } from '#server.ts';
import type { CommandContext } from './command.ts';
import { loadCommandConfig } from './load-config.ts';

/** The data of a server, and how a command changes it. */
interface CommandData extends ServerData {
  /**
   * Runs `work` in a unit of work of the server itself, as endpoints do: its events and audit events are recorded. Jobs that it
   * enqueues run in the server. Throws CommandFailed for a failure, with the text that `describe` returns.
   */
  run<T>(
    work: (uow: UnitOfWork) => Promise<T | Failure>,
    describe: (failure: Failure) => string,
    uniqueErrors?: UniqueErrors,
  ): Promise<T>;
}

/**
 * Opens the data of an existing server, which may be running, and runs `work`. Throws if there is none or if its database has
 * pending migrations: a running server may not know the new tables.
 */
export async function withCommandData<T>(context: CommandContext, work: (data: CommandData) => Promise<T>): Promise<T> {
  const config = loadCommandConfig(context);
  return withServer(config, createProgress(context.stderr), async (server) => {
    await requireCurrentSchema(server.database.reader);
    return work({ ...server, run: createRun(config, server) });
  });
}

/** Throws CommandFailed if the database has pending migrations. */
export async function requireCurrentSchema(db: Reader): Promise<void> {
  if ((await listPendingMigrations(db)).length === 0) return;
  throw new CommandFailed(
    'failed',
    'The database is from an older version. Stop the server, run hearth migrate, and start the server of this version',
  );
}

/** The actor of commands: an operator who may read the data of the server acts as the server itself. */
const SERVER_ITSELF: Caller = ANONYMOUS;

function createRun(config: Config, { database }: ServerData): CommandData['run'] {
  const runUnitOfWork = createCommandUnitOfWork(config, database);
  return async (work, describe, uniqueErrors = {}) => {
    const result = await runUnitOfWork(SERVER_ITSELF, work).catch((error: unknown) => {
      const failure = toUniqueFailure(error, uniqueErrors);
      if (failure === undefined) throw error;
      return failure;
    });
    if (isFailure(result)) throw new CommandFailed('failed', describe(result));
    return result;
  };
}

/** Returns the user with this username. Throws CommandFailed if there is none, or if it is an internal one. */
export async function requireUser(db: Reader, username: string): Promise<User> {
  const user = await findUserByUsername(db, username);
  if (user === null || user.internal) throw new CommandFailed('failed', `There is no user ${username}`);
  return user;
}

/** Describes validation errors of a record in one line: `Email is invalid; Username can't be blank`. */
export function describeFieldErrors(errors: FieldErrors): string {
  const texts = Object.entries(errors).flatMap(([field, problems]) =>
    problems.map((problem) => `${field.replaceAll('_', ' ')} ${problem}`),
  );
  const text = texts.join('; ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
