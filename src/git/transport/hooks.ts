import { createHash } from 'node:crypto';
import { access, chmod, constants, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { ZERO_ID } from '../refs/refs.ts';
import type { RefChange } from '../refs/update-refs.ts';

/** Message of a hook: its name, its environment and the refs on its standard input. */
export interface HookMessage {
  readonly hook: 'pre-receive' | 'post-receive';
  readonly environment: Readonly<Record<string, string>>;
  /** `git push -o <text>`, in order. */
  readonly pushOptions: readonly string[];
  readonly changes: readonly RefChange[];
}

/*
 * A hook writes its message to file descriptor 3 and reads the verdict from 4. The last line repeats a secret of this
 * push. Otherwise a ref name with a line feed could end the message early and hide the following refs. Push options
 * with a line feed are left out.
 * Without a verdict (end of file) pre-receive rejects. Lines after the verdict of a rejected push, or of post-receive, are
 * for the client.
 */
const createHookScript = (hook: string, afterVerdict: string) => `#!/bin/sh
{
  echo ${hook}
  printf '%s\\n' "GIT_OBJECT_DIRECTORY=$GIT_OBJECT_DIRECTORY"
  printf '%s\\n' "GIT_ALTERNATE_OBJECT_DIRECTORIES=$GIT_ALTERNATE_OBJECT_DIRECTORIES"
  printf '%s\\n' "GIT_QUARANTINE_PATH=$GIT_QUARANTINE_PATH"
  newline='
'
  i=0
  while [ "$i" -lt "\${GIT_PUSH_OPTION_COUNT:-0}" ]; do
    eval "option=\\$GIT_PUSH_OPTION_$i"
    case $option in
      *"$newline"*) ;;
      *) printf 'option=%s\\n' "$option" ;;
    esac
    i=$((i + 1))
  done
  echo
  cat
  echo "$HEARTH_PUSH"
} >&3 || exit 1
read -r verdict <&4 || exit 1
${afterVerdict}
`;

const HOOK_SCRIPTS = {
  'pre-receive': createHookScript('pre-receive', '[ "$verdict" = accept ] && exit 0\ncat <&4 >&2\nexit 1'),
  'post-receive': createHookScript('post-receive', 'cat <&4 >&2'),
};

/** Returns the directory inside `parent` with this version's hooks. */
export function getHooksDirectory(parent: string): string {
  const version = createHash('sha256').update(JSON.stringify(HOOK_SCRIPTS)).digest('hex').slice(0, 16);
  return join(parent, `hooks-${version}`);
}

/**
 * Writes the hooks to `directory` if any is missing or not executable. Without a hook git would move refs unchecked, so
 * receive-pack must not start before this.
 */
export async function ensureHooks(directory: string): Promise<void> {
  const brokenHooks = await listBrokenHooks(directory);
  for (const hook of brokenHooks) await writeHook(directory, hook);
  if (brokenHooks.length === 0) return;
  const stillBrokenHooks = await listBrokenHooks(directory);
  if (stillBrokenHooks.length > 0)
    throw new Error(`Hooks in ${directory} cannot be run: is the file system mounted noexec?`);
}

type HookName = keyof typeof HOOK_SCRIPTS;

async function listBrokenHooks(directory: string): Promise<HookName[]> {
  const names = Object.keys(HOOK_SCRIPTS) as HookName[];
  const isExecutable = await Promise.all(
    names.map((name) =>
      access(join(directory, name), constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return names.filter((_, index) => !isExecutable[index]);
}

async function writeHook(directory: string, hook: HookName): Promise<void> {
  await mkdir(directory, { recursive: true });
  const file = join(directory, hook);
  // Several processes may do this at the same time. Each renames its own complete file.
  const temporary = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  await writeFile(temporary, HOOK_SCRIPTS[hook]);
  await chmod(temporary, 0o700);
  await rename(temporary, file);
}

/** Maximum refs that one push may change. Each costs a file and a permission check. */
const MAX_CHANGES = 20_000;

/** Maximum refs that one push may delete. git copies its list of refs for each deletion. */
const MAX_DELETIONS = 2_000;

/** Maximum lines of a message: push options and refs. */
const MAX_MESSAGE_LINES = 50_000;

/** Maximum bytes of a message. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Error for an invalid message; the push is rejected. */
export class InvalidHookMessage extends Error {}

const createTooManyChangesError = () => new InvalidHookMessage(`A push may change at most ${MAX_CHANGES} refs`);

/** Returns a function that reads the next message of a push, or null when the pipe has ended. */
export function createHookReader(pipe: Duplex, secret: string): () => Promise<HookMessage | null> {
  const chunks = pipe[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const terminator = Buffer.from(`\n${secret}\n`);
  let unparsed: Buffer = Buffer.alloc(0);
  return async () => {
    // A long message is read to its end but not kept: only the bytes that may begin the terminator stay.
    let [searchedBytes, lines, isTooLong] = [0, countLines(unparsed), false];
    for (;;) {
      const end = unparsed.indexOf(terminator, searchedBytes);
      if (end >= 0) {
        const message = unparsed.subarray(0, end + 1);
        unparsed = unparsed.subarray(end + terminator.length);
        // Throw only now: a hook that is still writing would not read the reason.
        if (isTooLong) throw createTooManyChangesError();
        return parseHookMessage(message);
      }
      searchedBytes = Math.max(0, unparsed.length - terminator.length);
      isTooLong ||= unparsed.length > MAX_MESSAGE_BYTES || lines > MAX_MESSAGE_LINES;
      if (isTooLong) [unparsed, searchedBytes] = [unparsed.subarray(searchedBytes), 0];
      // A stopped push destroys the pipe, which rejects; treat it as the end.
      const chunk = await chunks.next().catch(() => ({ done: true as const, value: undefined }));
      if (chunk.done === true) return null;
      unparsed = Buffer.concat([unparsed, chunk.value]);
      lines += countLines(chunk.value);
    }
  };
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let index = bytes.indexOf(NEWLINE); index >= 0; index = bytes.indexOf(NEWLINE, index + 1)) lines++;
  return lines;
}

const NEWLINE = 0x0a;

/** Parses a message without its secret; each line has its line feed. */
export function parseHookMessage(bytes: Buffer): HookMessage {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new InvalidHookMessage('A ref name is not valid UTF-8');
  }
  const [head = '', ...tail] = text.split('\n\n');
  const [hook, ...lines] = head.split('\n');
  if (hook !== 'pre-receive' && hook !== 'post-receive')
    throw new InvalidHookMessage('Received a message of an unknown hook');
  const environment: Record<string, string> = {};
  const pushOptions: string[] = [];
  for (const line of lines) {
    const equalsIndex = line.indexOf('=');
    if (line.startsWith('option=')) pushOptions.push(line.slice(equalsIndex + 1));
    else environment[line.slice(0, equalsIndex)] = line.slice(equalsIndex + 1);
  }
  const changes = tail
    .join('\n\n')
    .split('\n')
    // Drops only the end of the text: another empty line is an invalid ref.
    .filter((line, index, all) => line !== '' || index < all.length - 1);
  if (changes.length > MAX_CHANGES) throw createTooManyChangesError();
  return { hook, environment, pushOptions, changes: requireFewDeletions(changes.map(parseRefChange)) };
}

function requireFewDeletions(changes: readonly RefChange[]): readonly RefChange[] {
  if (changes.filter(({ newId }) => newId === ZERO_ID).length <= MAX_DELETIONS) return changes;
  throw new InvalidHookMessage(`A push may delete at most ${MAX_DELETIONS} refs`);
}

function parseRefChange(line: string): RefChange {
  const match = /^([0-9a-f]{40}) ([0-9a-f]{40}) (refs\/[^\0-\x20\x7f~^:?*[\\]+)$/.exec(line);
  if (match === null) throw new InvalidHookMessage('A ref name is invalid');
  return { oldId: match[1]!, newId: match[2]!, ref: match[3]! };
}
