import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import type { EnvironmentVariables } from '#config.ts';

/** An option of a command, for parsing and for its help. */
export interface CommandOption {
  readonly type: 'boolean' | 'string';
  /** Name of the value in the help: `FILE`; only for type `string`. */
  readonly value?: string;
  readonly description: string;
}

type CommandOptions = Readonly<Record<string, CommandOption>>;

type OptionValues<Options extends CommandOptions> = {
  readonly [Name in keyof Options]: Options[Name]['type'] extends 'boolean' ? boolean : string | null;
};

/** Where a command reads and writes. */
export interface CommandContext {
  readonly env: EnvironmentVariables;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: CommandOutput;
  readonly stderr: CommandOutput;
}

/** A stream of text, which may be a terminal. */
export interface CommandOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** A command of `hearth`: its help and its function. */
export interface Command<Options extends CommandOptions = CommandOptions> {
  /** Names of the positional arguments, all of them required: `FILE.tar`. */
  readonly positionals: readonly string[];
  readonly options: Options;
  /** The description of the command, in one or several paragraphs. */
  readonly description: string;
  /** Further tables of the help, after the options. */
  readonly tables?: readonly HelpTable[];
  readonly run: (
    context: CommandContext,
    options: OptionValues<Options>,
    positionals: readonly string[],
  ) => Promise<void>;
}

/** A table of the help with a title and two columns. */
export interface HelpTable {
  readonly title: string;
  readonly rows: readonly (readonly [string, string])[];
}

/** An invalid command line. The message describes the error. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly exitCode = 2;
}

/** Declares a command. Options without a value are null, or false for type `boolean`. */
export function defineCommand<const Options extends CommandOptions>(command: Command<Options>): Command {
  return command as unknown as Command;
}

/** Parses the arguments and runs the command. Throws UsageError. */
export async function runCommand(
  command: Command,
  name: string,
  args: readonly string[],
  context: CommandContext,
): Promise<void> {
  const { values, positionals } = parseArguments(command, name, args);
  const { length: requiredCount } = command.positionals;
  if (positionals.length !== requiredCount) {
    const missingName = command.positionals[positionals.length];
    const problem =
      missingName === undefined
        ? `Unexpected argument: ${positionals[requiredCount]}`
        : `Missing argument: ${missingName}`;
    throw createUsageError(problem, name);
  }
  const options = Object.fromEntries(
    Object.entries(command.options).map(([option, { type }]) => [
      option,
      values[option] ?? (type === 'boolean' ? false : null),
    ]),
  );
  // Each option has the type that its declaration states.
  await command.run(context, options as never, positionals);
}

function parseArguments({ options }: Command, name: string, args: readonly string[]) {
  const config: ParseArgsOptionsConfig = Object.fromEntries(
    Object.entries(options).map(([option, { type }]) => [option, { type }]),
  );
  try {
    return parseArgs({ args: [...args], options: config, strict: true, allowPositionals: true });
  } catch (error) {
    // The first sentence names the option; the others explain how to pass values that look like options.
    throw createUsageError((error as Error).message.split('. ')[0]!, name);
  }
}

/** Creates the error for an invalid command line of this command. */
export function createUsageError(problem: string, name: string): UsageError {
  return new UsageError(`${problem}. See hearth ${name} --help`);
}

/** Returns the help of a command. */
export function describeCommand({ positionals, options, description, tables = [] }: Command, name: string): string {
  const optionRows = Object.entries(options).map(([option, { value, description: text }]): [string, string] => [
    value === undefined ? `    --${option}` : `    --${option} ${value}`,
    text,
  ]);
  const usage = ['hearth', name, ...(optionRows.length > 0 ? ['[OPTION...]'] : []), ...positionals].join(' ');
  const allTables = [
    { title: 'Options', rows: [...optionRows, ['-h, --help', 'Print this help'] as const] },
    ...tables,
  ];
  const paragraphs = description.split('\n\n').map((paragraph) => wrapText(paragraph, LINE_WIDTH).join('\n'));
  return `${[`Usage: ${usage}`, ...paragraphs, ...allTables.map(formatTable)].join('\n\n')}\n`;
}

/** Maximum characters of a line of the help. */
const LINE_WIDTH = 100;
/** Maximum width of the first column; a longer text has a line of its own. */
const MAX_COLUMN_WIDTH = 30;

/** Formats a table of the help: the second column is wrapped. */
export function formatTable({ title, rows }: HelpTable): string {
  const width = Math.min(MAX_COLUMN_WIDTH, Math.max(...rows.map(([text]) => text.length)));
  const lines = rows.flatMap(([text, description]) => {
    const [firstLine = '', ...otherLines] = wrapText(description, LINE_WIDTH - width - 4);
    const indentation = ' '.repeat(width + 4);
    const start =
      text.length > width ? [`  ${text}`, `${indentation}${firstLine}`] : [`  ${text.padEnd(width)}  ${firstLine}`];
    return [...start, ...otherLines.map((line) => `${indentation}${line}`)];
  });
  return `${title}:\n${lines.join('\n')}`;
}

function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1);
    if (line === undefined || line.length + word.length >= width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}
