import { describeBuild } from '#runtime/build.ts';
import { restrictFilePermissions } from '#security/private-files.ts';
import { type CommandContext, describeCommand, formatTable, runCommand, UsageError } from './command.ts';
import { COMMANDS } from './commands.ts';

const HELP_OPTIONS: readonly string[] = ['--help', '-h'];
const VERSION_OPTIONS: readonly string[] = ['--version', '-v', 'version'];

/** Runs the command line of `hearth`. Without arguments it runs the server. Throws UsageError. */
export async function runCommandLine(args: readonly string[], context: CommandContext): Promise<void> {
  const [firstArgument = 'serve', ...otherArguments] = args;
  const isHelpRequested = args.some((arg) => HELP_OPTIONS.includes(arg));
  if (firstArgument === 'help' || HELP_OPTIONS.includes(firstArgument)) return printHelp(otherArguments, context);
  if (VERSION_OPTIONS.includes(firstArgument)) return printVersion(otherArguments, context);
  const { entry, commandArguments } = findCommand([firstArgument, ...otherArguments]);
  if (entry === null) {
    if (isHelpRequested || commandArguments.length === 0) return printHelp([firstArgument], context);
    throw new UsageError(
      `Unknown command: ${firstArgument} ${commandArguments[0]}. hearth ${firstArgument} --help lists the commands`,
    );
  }
  const command = await entry.load();
  if (commandArguments.some((arg) => HELP_OPTIONS.includes(arg)))
    return void context.stdout.write(describeCommand(command, entry.name));
  restrictFilePermissions();
  await runCommand(command, entry.name, commandArguments, context);
}

/**
 * Finds the command of the first one or two arguments. `entry` is null if only the first word is one of a command with two words.
 * Throws UsageError for an unknown command.
 */
function findCommand([firstWord = '', ...rest]: readonly string[]) {
  const entry =
    COMMANDS.find(({ name }) => name === firstWord) ?? COMMANDS.find(({ name }) => name === `${firstWord} ${rest[0]}`);
  if (entry !== undefined) return { entry, commandArguments: entry.name === firstWord ? rest : rest.slice(1) };
  if (listGroup(firstWord).length === 0)
    throw new UsageError(`Unknown command: ${firstWord}. hearth --help lists the commands`);
  return { entry: null, commandArguments: rest };
}

/** Lists the commands whose first of two words is this one. */
function listGroup(word: string) {
  return COMMANDS.filter(({ name }) => name.startsWith(`${word} `));
}

/** Prints the help of all commands, of those with the same first word, or of one command. */
async function printHelp(args: readonly string[], { stdout }: CommandContext): Promise<void> {
  const words = args.filter((arg) => !arg.startsWith('-'));
  if (words.length === 0) return void stdout.write(describeAllCommands());
  const { entry } = findCommand(words);
  if (entry !== null) return void stdout.write(describeCommand(await entry.load(), entry.name));
  stdout.write(describeGroup(words[0]!));
}

function printVersion(args: readonly string[], { stdout }: CommandContext): void {
  if (args.length > 0) throw new UsageError(`Unexpected argument: ${args[0]}. See hearth --help`);
  stdout.write(`hearth ${describeBuild()}\n`);
}

function describeAllCommands(): string {
  return `Usage: hearth [COMMAND] [OPTION...]

${formatTable({ title: 'Commands', rows: COMMANDS.map(({ name, summary }) => [name, summary]) })}

${formatTable({
  title: 'Options',
  rows: [
    ['-h, --help', 'Print this help, or that of a command'],
    ['-v, --version', 'Print the version and the commit of the build'],
  ],
})}

hearth COMMAND --help describes a command and its options. hearth serve --help lists all settings.
${EXIT_CODES}`;
}

/** The exit codes of all commands, as docs/commands.md and docs/backups.md list them. */
const EXIT_CODES = `Exit codes: 0 success, 1 failure, 2 invalid command line; see backup --help and doctor --help for others.
`;

function describeGroup(word: string): string {
  return `Usage: hearth ${word} COMMAND [OPTION...]

${formatTable({ title: 'Commands', rows: listGroup(word).map(({ name, summary }) => [name, summary]) })}

hearth ${word} COMMAND --help describes a command and its options.
`;
}
