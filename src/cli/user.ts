import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import {
  createUser,
  prepareInitialPassword,
  prepareNewPassword,
  SAVE_UNIQUE_ERRORS,
  updateUser,
} from '#api/identity/users/changes.ts';
import { canSendLinks } from '#api/identity/users/link-mail.ts';
import { enqueuePasswordLink } from '#api/identity/users/password-link-mail.ts';
import { BLOCKED_STATES, blockUser, isLocked, unblockUser, unlockUser } from '#api/identity/users/states.ts';
import { type User, userColumns } from '#authentication/users/users.ts';
import { CommandFailed } from '#backup/command-failed.ts';
import type { Reader } from '#database/database.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { timestamp } from '#runtime/clock.ts';
import { type Failure, type FieldErrors, isFailure } from '#runtime/failure.ts';
import { type CommandContext, createUsageError, defineCommand } from './command.ts';
import { describeFieldErrors, requireUser, withCommandData } from './command-data.ts';
import { JSON_OPTION, printJson, printTable } from './output.ts';

const PASSWORD_INPUT =
  'The password is read from a prompt, or from standard input: printf %s "$PASSWORD" | hearth user ... It is never an argument, which others can see.';

const NEEDS_MAIL_DELIVERY =
  '--send-link needs mail delivery: set HEARTH_MAIL_DELIVERY=smtp, for this command and for the server. Nothing was changed';

/** Creates a user. */
export const createUserCommand = defineCommand({
  positionals: ['USERNAME'],
  options: {
    email: {
      type: 'string',
      value: 'ADDRESS',
      description: 'Email address of the user (required); it counts as confirmed',
    },
    name: { type: 'string', value: 'NAME', description: 'Full name (default: the username)' },
    admin: { type: 'boolean', description: 'Make the user an administrator' },
    'without-password': {
      type: 'boolean',
      description: 'Create a user who cannot sign in, such as a bot with a token',
    },
    'send-link': {
      type: 'boolean',
      description: 'Send a mail with a one-time link that sets the password, instead of reading one',
    },
    ...JSON_OPTION,
  },
  description: `Creates a user with a personal namespace, as POST /api/v4/users does. The server may be running.

${PASSWORD_INPUT}`,
  async run(context, options, [username = '']) {
    const { email, name, admin, json, 'without-password': withoutPassword, 'send-link': hasPasswordLink } = options;
    if (email === null) throw createUsageError('--email is required', 'user create');
    if (withoutPassword && hasPasswordLink)
      throw createUsageError('--without-password and --send-link exclude each other', 'user create');
    await withCommandData(context, async ({ clock, config, database, run }) => {
      if (hasPasswordLink && !canSendLinks(config)) throw new CommandFailed('failed', NEEDS_MAIL_DELIVERY);
      const password = withoutPassword || hasPasswordLink ? null : await readNewPassword(context);
      const details = admin ? { admin } : {};
      const input = {
        username,
        name: name ?? username,
        email,
        password,
        confirmed: true,
        identity: undefined,
        hasPasswordLink,
        details,
      };
      const preparedPassword = await prepareInitialPassword(database.reader, input);
      const user = await run(
        async (uow) => {
          const created = await createUser(uow, input, preparedPassword);
          if (hasPasswordLink && !isFailure(created))
            await enqueuePasswordLink(uow, { address: created.email, isNewAccount: true });
          return created;
        },
        createDescriber(username),
        SAVE_UNIQUE_ERRORS,
      );
      if (json) printJson(context.stdout, toJson(user, timestamp(clock)));
      else
        context.stdout.write(
          `Created the ${user.admin ? 'administrator' : 'user'} ${user.username} with the id ${user.id}.\n${
            hasPasswordLink ? `The server sends a link that sets the password to ${user.email}.\n` : ''
          }`,
        );
    });
  },
});

/** Lists users. */
export const listUsersCommand = defineCommand({
  positionals: [],
  options: {
    admins: { type: 'boolean', description: 'List administrators only' },
    blocked: { type: 'boolean', description: 'List blocked and banned users only' },
    ...JSON_OPTION,
  },
  description: 'Lists the users by id, without internal users.',
  async run(context, { admins, blocked, json }) {
    await withCommandData(context, async ({ clock, database }) => {
      const users = (await listAllUsers(database.reader)).filter(
        ({ admin, state }) => (!admins || admin) && (!blocked || BLOCKED_STATES.includes(state)),
      );
      const records = users.map((user) => toJson(user, timestamp(clock)));
      if (json) return printJson(context.stdout, records);
      printTable(context.stdout, [
        ['ID', 'USERNAME', 'NAME', 'EMAIL', 'STATE', 'ROLE'],
        ...records.map(({ id, username, name, email, state, locked, admin }) => [
          String(id),
          username,
          name,
          email,
          locked ? `${state}, locked` : state,
          admin ? 'administrator' : 'user',
        ]),
      ]);
    });
  },
});

/** Number of users per statement. */
const PAGE_SIZE = 1_000;

async function listAllUsers(db: Reader): Promise<User[]> {
  const users: User[] = [];
  for (let lastId = 0; ; lastId = users.at(-1)!.id) {
    // index: users primary key
    const page = await db
      .selectFrom('users')
      .select(userColumns)
      .where('deletion_scheduled_at', 'is', null)
      .where('id', '>', lastId)
      .where('internal', '=', false)
      .orderBy('id')
      .limit(PAGE_SIZE)
      .execute();
    users.push(...page);
    if (page.length < PAGE_SIZE) return users;
  }
}

/** Returns the JSON of a user for `--json`. */
function toJson(user: User, now: string) {
  const { id, username, name, email, state, admin, bot, created_at } = user;
  return { id, username, name, email, state, locked: isLocked(user, now), admin, bot, created_at };
}

/** Blocks a user. */
export const blockUserCommand = defineCommand({
  positionals: ['USERNAME'],
  options: {},
  description: 'Blocks a user: their password, sessions and tokens are rejected until they are unblocked.',
  async run(context, _options, [username = '']) {
    const wasChanged = await changeUser(context, username, (uow, { id }) => blockUser(uow, id));
    context.stdout.write(wasChanged ? `Blocked ${username}.\n` : `${username} is blocked already.\n`);
  },
});

/** Unblocks a user. */
export const unblockUserCommand = defineCommand({
  positionals: ['USERNAME'],
  options: {},
  description: 'Unblocks a user that an administrator has blocked.',
  async run(context, _options, [username = '']) {
    const wasChanged = await changeUser(context, username, (uow, { id }) => unblockUser(uow, id));
    context.stdout.write(wasChanged ? `Unblocked ${username}.\n` : `${username} is not blocked.\n`);
  },
});

/** Unlocks a user. */
export const unlockUserCommand = defineCommand({
  positionals: ['USERNAME'],
  options: {},
  description: 'Unlocks an account, which is locked for ten minutes after ten wrong passwords.',
  async run(context, _options, [username = '']) {
    const wasChanged = await changeUser(context, username, (uow, { id }) => unlockUser(uow, id));
    context.stdout.write(wasChanged ? `Unlocked ${username}.\n` : `${username} is not locked.\n`);
  },
});

/** Sets a new password. */
export const resetPasswordCommand = defineCommand({
  positionals: ['USERNAME'],
  options: {},
  description: `Sets a new password, which the user must replace when they sign in next. Their sessions end; tokens stay valid.

${PASSWORD_INPUT}`,
  async run(context, _options, [username = '']) {
    await withCommandData(context, async ({ database, run }) => {
      const { id } = await requireUser(database.reader, username);
      const input = { password: await readNewPassword(context), resetPrivateProfile: false };
      const password = await prepareNewPassword(database.reader, id, input);
      await run((uow) => updateUser(uow, id, input, password), createDescriber(username));
    });
    context.stdout.write(`Set the password of ${username}, who must choose another one when they sign in next.\n`);
  },
});

/** Makes a user an administrator. */
export const makeAdminCommand = defineCommand({
  positionals: ['USERNAME'],
  options: {},
  description: 'Makes a user an administrator.',
  async run(context, _options, [username = '']) {
    const wasChanged = await changeUser(context, username, async (uow, user) => {
      if (user.admin) return false;
      const updatedUser = await updateUser(
        uow,
        user.id,
        { details: { admin: true }, resetPrivateProfile: false },
        null,
      );
      return isFailure(updatedUser) ? updatedUser : true;
    });
    context.stdout.write(
      wasChanged ? `${username} is an administrator now.\n` : `${username} is an administrator already.\n`,
    );
  },
});

/** Returns true if it changed the user, and false or null if there was nothing to change. */
type ChangeUser = (uow: UnitOfWork, user: User) => Promise<boolean | null | Failure>;

/** Changes a user in a unit of work. Returns whether anything was changed. */
async function changeUser(context: CommandContext, username: string, change: ChangeUser): Promise<boolean> {
  const describe = createDescriber(username);
  return withCommandData(context, async ({ database, run }) => {
    const user = await requireUser(database.reader, username);
    return (await run((uow) => change(uow, user), describe)) === true;
  });
}

/** Returns a function that describes failures of the domain for this user. */
function createDescriber(username: string): (failure: Failure) => string {
  const texts: Readonly<Record<string, string>> = {
    userNotFound: `There is no user ${username}`,
    internalUser: `${username} is an internal user, which cannot be changed`,
    onlyAdministrator: `${username} is the only administrator: make another user an administrator first`,
    deactivated: `${username} is deactivated, not blocked: they become active when they sign in`,
    emailTaken: 'Another user has this email address',
    usernameTaken: `There is a user ${username} already`,
    pathTaken: `A group has the path ${username}: choose another username`,
  };
  return ({ code, values }) => texts[code] ?? `Not saved: ${describeFieldErrors(values.errors as FieldErrors)}`;
}

/**
 * Returns a new password. A terminal is prompted for it twice, without an echo; otherwise it is the first line of standard input.
 * It is never an argument, which other users of the machine can see. Throws CommandFailed.
 */
export async function readNewPassword({ stdin, stderr }: CommandContext): Promise<string> {
  if (stdin.isTTY !== true) return requirePassword(await readFirstLine(stdin));
  // The line editor echoes typed characters into its output. It turns off the echo of the terminal before the first prompt.
  const noOutput = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: stdin, output: noOutput, terminal: true });
  reader.on('SIGINT', () => process.exit(130));
  const prompt = async (text: string) => {
    stderr.write(text);
    return reader.question('').finally(() => stderr.write('\n'));
  };
  try {
    const password = requirePassword(await prompt('New password: '));
    if ((await prompt('Repeat the password: ')) === password) return password;
    throw new CommandFailed('failed', 'The two passwords differ. Nothing was changed');
  } finally {
    reader.close();
  }
}

function requirePassword(password: string): string {
  if (password !== '') return password;
  throw new CommandFailed('failed', 'No password was given. Type it at the prompt, or pipe it into standard input');
}

async function readFirstLine(input: NodeJS.ReadableStream): Promise<string> {
  const lines = createInterface({ input });
  for await (const line of lines) return line;
  return '';
}
