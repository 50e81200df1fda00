/** What a username may be; the paths of groups share its namespace and its reserved words. */

const FIRST_RULE =
  "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'.";
const SECOND_RULE =
  "can only include non-accented letters, digits, '_', '-' and '.'. It must not start with '-', '_', or '.', nor end with '-', '_', '.', '.git', or '.atom'.";

const LONGEST = 255;

// First segments of paths that mean something else than a user or group.
const RESERVED: ReadonlySet<string> = new Set([
  '-',
  '.well-known',
  '404.html',
  '422.html',
  '500.html',
  '502.html',
  '503.html',
  'admin',
  'api',
  'apple-touch-icon.png',
  'assets',
  'dashboard',
  'deploy.html',
  'explore',
  'favicon.ico',
  'favicon.png',
  'files',
  'groups',
  'health_check',
  'help',
  'import',
  'jwt',
  'login',
  'oauth',
  'openapi.json',
  'profile',
  'projects',
  'public',
  'robots.txt',
  's',
  'search',
  'sitemap',
  'sitemap.xml',
  'sitemap.xml.gz',
  'slash-command-logo.png',
  'snippets',
  'unsubscribe',
  'uploads',
  'users',
  'v2',
]);

/** Is this word no name for a user or a top-level group? */
export function isReservedName(name: string): boolean {
  return RESERVED.has(name.toLowerCase());
}

/** What is wrong with a username, in words for the one who chose it; empty when nothing is. */
export function usernameProblems(username: string): string[] {
  if (username.trim() === '') return ["can't be blank"];
  const problems: string[] = [];
  if ([...username].length > LONGEST) problems.push(`is too long (maximum is ${LONGEST} characters)`);
  if (isReservedName(username)) problems.push(`${username} is a reserved name`);
  if (!followsFirstRule(username)) problems.push(FIRST_RULE);
  if (!followsSecondRule(username)) problems.push(SECOND_RULE);
  return problems;
}

function followsFirstRule(username: string): boolean {
  return /^(?!-)[A-Za-z0-9_.-]*[A-Za-z0-9_-]$/.test(username) && !endsLikeAFile(username);
}

function followsSecondRule(username: string): boolean {
  return /^[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$/.test(username) && !endsLikeAFile(username);
}

function endsLikeAFile(username: string): boolean {
  return /\.(git|atom)$/i.test(username);
}
