import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandFailed } from '#backup/command-failed.ts';
import type { CommandContext } from './command.ts';

/**
 * Returns a new password. A terminal is prompted for it twice, without an echo; otherwise it is the first line of standard input.
 * It is never an argument, which other users of the machine can see. Throws CommandFailed.
 */
export async function readNewPassword({ stdin, stderr }: CommandContext): Promise<string> {
  if (stdin.isTTY !== true) return requirePassword(await readFirstLine(stdin));
  // The line editor echoes what is typed into its output. It turns off the echo of the terminal before the first prompt.
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
