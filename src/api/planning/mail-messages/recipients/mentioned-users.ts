import { sql } from 'kysely';
import { findCodeRanges, MAX_SCANNED_POSITIONS } from '#api/planning/issuables/index.ts';
import type { Reader } from '#database/database.ts';
import { isInTexts } from '#database/dialect.ts';
import { foldCase } from '#database/name-keys.ts';

/** Maximum number of mentioned users per text. */
const MAX_MENTIONS = 100;

const AT_SIGN = '@';
const MAX_USERNAME_LENGTH = 255;

/** A mentioned username. */
interface UsernameMention {
  /** The case-folded username. */
  readonly name: string;
  /** Whether its first mention begins a paragraph, or follows only other mentions there. */
  readonly isDirect: boolean;
}

/** Returns the usernames that a text mentions outside of code, each once. Runs in linear time. */
export function findMentions(text: string): UsernameMention[] {
  const mentionsByName = new Map<string, UsernameMention>();
  if (!text.includes(AT_SIGN)) return [];
  const code = findCodeRanges(text);
  let scannedCount = 0;
  // End of the consecutive mentions at the beginning of the current paragraph.
  let leadingMentionsEnd = 0;
  for (const { index: signIndex } of text.matchAll(/@(?=[A-Za-z0-9_.-])/g)) {
    if (mentionsByName.size === MAX_MENTIONS || ++scannedCount > MAX_SCANNED_POSITIONS) break;
    const username = code.has(signIndex) ? null : parseUsernameAt(text, signIndex);
    if (username === null) continue;
    const isDirect = beginsParagraph(text, signIndex, leadingMentionsEnd);
    if (isDirect) leadingMentionsEnd = signIndex + 1 + username.length;
    const name = foldCase(username);
    if (!mentionsByName.has(name)) mentionsByName.set(name, { name, isDirect });
  }
  return [...mentionsByName.values()];
}

/** Returns the case-folded usernames that a text mentions. */
export const findMentionedUsernames = (text: string): string[] => findMentions(text).map(({ name }) => name);

/** Returns whether only whitespace is between `signIndex` and the leading mentions, an empty line or the start of the text. */
function beginsParagraph(text: string, signIndex: number, leadingMentionsEnd: number): boolean {
  let lineBreakCount = 0;
  for (let position = signIndex - 1; position >= leadingMentionsEnd; position--) {
    const character = text[position] as string;
    if (character === '\n') lineBreakCount++;
    else if (character !== ' ' && character !== '\t' && character !== '\r') return lineBreakCount > 1;
    if (lineBreakCount > 1) return true;
  }
  return true;
}

const isUsernameCharacter = (character: string | undefined) =>
  character !== undefined && /^[A-Za-z0-9_.-]$/.test(character);
const isWordCharacter = (character: string | undefined) => character !== undefined && /^\w$/.test(character);

/** Returns the username that begins after the `@` at `signIndex`, or null. */
function parseUsernameAt(text: string, signIndex: number): string | null {
  // `mira@hearth.test` is an email address.
  if (isWordCharacter(text[signIndex - 1]) || text[signIndex - 1] === AT_SIGN) return null;
  let end = signIndex + 1;
  while (end - signIndex <= MAX_USERNAME_LENGTH && isUsernameCharacter(text[end])) end++;
  // `@forge/anvil` is a path.
  if (text[end] === '/') return null;
  while (end > signIndex + 1 && !isWordCharacter(text[end - 1])) end--;
  return end === signIndex + 1 ? null : text.slice(signIndex + 1, end);
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
