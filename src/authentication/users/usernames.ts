/** Rules for usernames. Group paths share their namespace and reserved words. */

// A username is a path too. It must obey both rules, and each broken one is reported.
const INVALID_PATH =
  "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'.";
const INVALID_USERNAME =
  "can only include non-accented letters, digits, '_', '-' and '.'. It must not start with '-', '_', or '.', nor end with '-', '_', '.', '.git', or '.atom'.";

const MAX_LENGTH = 255;

// First path segments with another meaning than a user or group.
const RESERVED_NAMES: ReadonlySet<string> = new Set(
  `
  - .well-known 404.html 422.html 500.html 502.html 503.html admin api apple-touch-icon.png assets dashboard
  deploy.html explore favicon.ico favicon.png files groups health_check help import jwt login oauth openapi.json
  profile projects public robots.txt s search sitemap sitemap.xml sitemap.xml.gz slash-command-logo.png snippets
  unsubscribe uploads users v2
`.match(/\S+/g),
);

/** Returns whether the name is reserved: no user or top-level group may have it. */
export function isReservedName(name: string): boolean {
  return RESERVED_NAMES.has(name.toLowerCase());
}

/** Returns error texts for a username; empty if it is valid. */
export function validateUsername(username: string): string[] {
  if (username.trim() === '') return ["can't be blank"];
  const problems: string[] = [];
  if ([...username].length > MAX_LENGTH) problems.push(`is too long (maximum is ${MAX_LENGTH} characters)`);
  if (isReservedName(username)) problems.push(`${username} is a reserved name`);
  if (!isValidPath(username)) problems.push(INVALID_PATH);
  if (!isValidUsername(username)) problems.push(INVALID_USERNAME);
  return problems;
}

function isValidPath(username: string): boolean {
  return /^(?!-)[A-Za-z0-9_.-]*[A-Za-z0-9_-]$/.test(username) && !hasReservedExtension(username);
}

function isValidUsername(username: string): boolean {
  return /^[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$/.test(username) && !hasReservedExtension(username);
}

function hasReservedExtension(username: string): boolean {
  return /\.(git|atom)$/i.test(username);
}

const MAX_NAME_LENGTH = 255;

/** Returns error texts for the name of a user, token or application; empty if it is valid. */
export function validateDisplayName(name: string): string[] {
  if (name.trim() === '') return ["can't be blank"];
  return [...name].length > MAX_NAME_LENGTH ? [`is too long (maximum is ${MAX_NAME_LENGTH} characters)`] : [];
}
