import { createHash } from 'node:crypto';
import { access, chmod, constants, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { zeroId } from '../refs/refs.ts';
import type { RefChange } from '../refs/update-refs.ts';

/** What a hook has told: its name, its environment and the refs on its standard input. */
export interface HookMessage {
  readonly hook: 'pre-receive' | 'post-receive';
  readonly environment: Readonly<Record<string, string>>;
  /** `git push -o <text>`, in order. */
  readonly pushOptions: readonly string[];
  readonly changes: readonly RefChange[];
}

/*
 * A hook writes its message to file descriptor 3 and waits on 4. The last line repeats a secret of this push: a ref
 * name or an option of the client may contain anything, a line feed included, and must not be able to end a message
 * early and so hide the refs that follow. Without an answer (end of file) pre-receive refuses.
 */
const tellAndWait = (hook: string) => `#!/bin/sh
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
[ "$verdict" = accept ] && exit 0
cat <&4 >&2
exit 1
`;

const hooks = { 'pre-receive': tellAndWait('pre-receive'), 'post-receive': tellAndWait('post-receive') };

/** The directory inside `parent` that holds this version's hooks. */
export function hooksDirectory(parent: string): string {
  const version = createHash('sha256').update(JSON.stringify(hooks)).digest('hex').slice(0, 16);
  return join(parent, `hooks-${version}`);
}

/**
 * Makes sure that the hooks stand in `directory` and can be run; cheap when they do. Git moves refs without asking
 * anybody when a hook is missing, so nobody starts receive-pack without this.
 */
export async function ensureHooks(directory: string): Promise<void> {
  const missing = await hooksThatCannotRun(directory);
  for (const hook of missing) await writeHook(directory, hook);
  if (missing.length === 0) return;
  const still = await hooksThatCannotRun(directory);
  if (still.length > 0) throw new Error(`Hooks in ${directory} cannot be run: is the file system mounted noexec?`);
}

type HookName = keyof typeof hooks;

async function hooksThatCannotRun(directory: string): Promise<HookName[]> {
  const names = Object.keys(hooks) as HookName[];
  const runs = await Promise.all(
    names.map((name) =>
      access(join(directory, name), constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return names.filter((_, index) => !runs[index]);
}

async function writeHook(directory: string, hook: HookName): Promise<void> {
  await mkdir(directory, { recursive: true });
  const file = join(directory, hook);
  // Several processes may do this at once; each renames its own complete file into place.
  const temporary = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  await writeFile(temporary, hooks[hook]);
  await chmod(temporary, 0o700);
  await rename(temporary, file);
}

/** Refs that one push may change: each is a file that git makes, and a change that rules are asked for. */
const MOST_CHANGES = 20_000;

/** Those of them that it may delete: git copies its whole list of refs for each of these that it finds there. */
const MOST_DELETIONS = 2_000;

/** Lines of a message that are taken apart: options of the push, and its refs. */
const MOST_LINES = 50_000;

/** Bytes of a message that are kept. */
const MESSAGE_LIMIT = 16 * 1024 * 1024;

/** Thrown for a message that git or a client made strange; the push is then refused. */
export class HookMessageInvalid extends Error {}

const tooMany = () => new HookMessageInvalid(`A push may change at most ${MOST_CHANGES} refs`);

/** Reads the messages of one push. `null`: the pipe has ended, no hook will speak any more. */
export function createHookReader(pipe: Duplex, secret: string): () => Promise<HookMessage | null> {
  const pieces = pipe[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const end = Buffer.from(`\n${secret}\n`);
  let rest: Buffer = Buffer.alloc(0);
  return async () => {
    let [searched, lines, isTooLong] = [0, linesIn(rest), false];
    for (;;) {
      const at = rest.indexOf(end, searched);
      if (at >= 0) {
        const message = rest.subarray(0, at + 1);
        rest = rest.subarray(at + end.length);
        // Only now: a hook that still speaks would not hear why it is refused.
        if (isTooLong) throw tooMany();
        return readMessage(message);
      }
      searched = Math.max(0, rest.length - end.length);
      isTooLong ||= rest.length > MESSAGE_LIMIT || lines > MOST_LINES;
      if (isTooLong) [rest, searched] = [rest.subarray(searched), 0];
      // A pipe that is destroyed because the push is stopped rejects; to us that is its end.
      const piece = await pieces.next().catch(() => ({ done: true as const, value: undefined }));
      if (piece.done === true) return null;
      rest = Buffer.concat([rest, piece.value]);
      lines += linesIn(piece.value);
    }
  };
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}

const NEWLINE = 0x0a;

/** The lines of a message up to its secret, each with its line feed. */
export function readMessage(bytes: Buffer): HookMessage {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new HookMessageInvalid('A ref name is not valid UTF-8');
  }
  const [head = '', ...tail] = text.split('\n\n');
  const [hook, ...lines] = head.split('\n');
  if (hook !== 'pre-receive' && hook !== 'post-receive') throw new HookMessageInvalid('An unknown hook spoke');
  const environment: Record<string, string> = {};
  const pushOptions: string[] = [];
  for (const line of lines) {
    const equals = line.indexOf('=');
    if (line.startsWith('option=')) pushOptions.push(line.slice(equals + 1));
    else environment[line.slice(0, equals)] = line.slice(equals + 1);
  }
  const changes = tail
    .join('\n\n')
    .split('\n')
    .filter((line, index, all) => line !== '' || index < all.length - 1);
  if (changes.length > MOST_CHANGES) throw tooMany();
  return { hook, environment, pushOptions, changes: checkDeletions(changes.map(readChange)) };
}

function checkDeletions(changes: readonly RefChange[]): readonly RefChange[] {
  if (changes.filter(({ newId }) => newId === zeroId).length <= MOST_DELETIONS) return changes;
  throw new HookMessageInvalid(`A push may delete at most ${MOST_DELETIONS} refs`);
}

function readChange(line: string): RefChange {
  const found = /^([0-9a-f]{40}) ([0-9a-f]{40}) (refs\/[^\0-\x20\x7f~^:?*[\\]+)$/.exec(line);
  if (found === null) throw new HookMessageInvalid('A ref name is invalid');
  return { oldId: found[1]!, newId: found[2]!, ref: found[3]! };
}
