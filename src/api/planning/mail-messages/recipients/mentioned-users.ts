import { sql } from 'kysely';
import { findCode, MAX_SCANNED_POSITIONS } from '#api/planning/issuables/index.ts';
import type { Reader } from '#database/database.ts';
import { isInTexts } from '#database/dialect.ts';
import { foldCase } from '#database/name-keys.ts';

/** Maximum number of mentioned users per text. */
const MAX_MENTIONS = 100;

const AT_SIGN = '@';
const MAX_USERNAME_LENGTH = 255;

/** A mentioned username. */
export interface UsernameMention {
  /** Case-folded. */
  readonly name: string;
  /** Whether its first mention is at the beginning of a paragraph, alone or after other such mentions. */
  readonly isDirect: boolean;
}

/** Returns the usernames that a text mentions outside of code, each once. Runs in linear time. */
export function findMentions(text: string): UsernameMention[] {
  const mentionsByName = new Map<string, UsernameMention>();
  if (!text.includes(AT_SIGN)) return [];
  const code = findCode(text);
  let positions = 0;
  // End of the mentions at the beginning of the paragraph.
  let beginning = 0;
  for (const { index: at } of text.matchAll(/@(?=[A-Za-z0-9_.-])/g)) {
    if (mentionsByName.size === MAX_MENTIONS || ++positions > MAX_SCANNED_POSITIONS) break;
    const username = code.has(at) ? null : usernameAt(text, at);
    if (username === null) continue;
    const isDirect = beginsParagraph(text, at, beginning);
    if (isDirect) beginning = at + 1 + username.length;
    const name = foldCase(username);
    if (!mentionsByName.has(name)) mentionsByName.set(name, { name, isDirect });
  }
  return [...mentionsByName.values()];
}

export const findMentionedUsernames = (text: string): string[] => findMentions(text).map(({ name }) => name);

/** Returns whether only whitespace is between this position and `beginning`, the start of the text, or an empty line. */
function beginsParagraph(text: string, at: number, beginning: number): boolean {
  let lines = 0;
  for (let before = at - 1; before >= beginning; before--) {
    const character = text[before] as string;
    if (character === '\n') lines++;
    else if (character !== ' ' && character !== '\t' && character !== '\r') return lines > 1;
    if (lines > 1) return true;
  }
  return true;
}

const isUsernameCharacter = (character: string | undefined) =>
  character !== undefined && /^[A-Za-z0-9_.-]$/.test(character);
const isWord = (character: string | undefined) => character !== undefined && /^\w$/.test(character);

function usernameAt(text: string, at: number): string | null {
  // `mira@hearth.test` is an email address.
  if (isWord(text[at - 1]) || text[at - 1] === AT_SIGN) return null;
  let end = at + 1;
  while (end - at <= MAX_USERNAME_LENGTH && isUsernameCharacter(text[end])) end++;
  // `@forge/anvil` is a path.
  if (text[end] === '/') return null;
  while (end > at + 1 && !isWord(text[end - 1])) end--;
  return end === at + 1 ? null : text.slice(at + 1, end);
}

/** Returns the ids of the users that a text mentions. */
export async function findMentionedUserIds(db: Reader, text: string): Promise<number[]> {
  return [...(await findUserIdsByUsernames(db, findMentionedUsernames(text))).values()];
}

/** Returns user ids by case-folded username. index: users_by_username_key */
export async function findUserIdsByUsernames(
  db: Reader,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (names.length === 0) return new Map();
  const rows = await db
    .selectFrom('users')
    .select(['users.id', 'users.username_key'])
    .where(isInTexts(db, sql<string>`users.username_key`, names))
    .where('users.deletion_scheduled_at', 'is', null)
    .execute();
  return new Map(rows.map(({ id, username_key }) => [username_key, id]));
}
