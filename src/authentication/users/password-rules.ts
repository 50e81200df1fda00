import type { Columns } from '#database/database.ts';

// Rules for passwords.

const MAX_LENGTH = 128;
/** Passwords of at least this length may contain the owner's name, username or email address. */
const MIN_LENGTH_WITH_PERSONAL_WORDS = 64;
const MIN_WORD_LENGTH = 4;

const WEAK_PASSWORD_ERROR = 'must not contain commonly used combinations of words and letters';

const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `
  00000000 0123456789 11111111 111111111 1111111111 11223344 12121212 123123123 12341234 12344321 12345678 123456789
  1234567890 12345qwert 1234qwer 123qweasd 147258369 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qazxsw2 22222222 55555555 66666666
  77777777 87654321 88888888 987654321 9876543210 99999999 aaaaaaaa abc12345 abcd1234 abcdefgh abcdefghi admin123
  admin1234 administrator alexander asdfasdf asdfghjk asdfghjkl baseball basketball blink182 changeme changeme1
  computer corvette december dragon123 elephant football football1 iloveyou iloveyou1 jennifer letmein1 letmein123
  liverpool marlboro maverick mercedes michelle midnight minecraft nintendo passw0rd passw0rd1 password password!
  password0 password1 password12 password123 password1234 pokemon1 princess princess1 q1w2e3r4 qazwsxedc qqqqqqqq
  qwer1234 qwerasdf qwerty12 qwerty123 qwerty1234 qwertyui qwertyuiop starwars sunshine sunshine1 superman trustno1
  victoria welcome1 welcome123 whatever zaq12wsx zxcvbnm1 zxcvbnm123 zxcvbnm,
`.match(/\S+/g),
);

/** The user whose name, username and email address a short password must not contain. */
export type PasswordOwner = Columns<'users', 'name' | 'username' | 'email'>;

/**
 * Returns error texts for a password of this owner; empty if it is valid. `minLength` is the setting
 * `minimum_password_length`.
 */
export function validatePassword(password: string, owner: PasswordOwner, minLength: number): string[] {
  const length = [...password].length;
  if (length < minLength) return [`is too short (minimum is ${minLength} characters)`];
  if (length > MAX_LENGTH) return [`is too long (maximum is ${MAX_LENGTH} characters)`];
  return isWeak(password.toLowerCase(), owner) ? [WEAK_PASSWORD_ERROR] : [];
}

function isWeak(password: string, owner: PasswordOwner): boolean {
  if (COMMON_PASSWORDS.has(password)) return true;
  if (password.length >= MIN_LENGTH_WITH_PERSONAL_WORDS) return false;
  return listPersonalWords(owner).some((word) => password.includes(word));
}

function listPersonalWords({ name, username, email }: PasswordOwner): string[] {
  const words = [name, username, email].flatMap((text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u));
  return words.filter((word) => word.length >= MIN_WORD_LENGTH);
}
