/** Maximum characters of a header text; longer texts are truncated. */
const MAX_LENGTH = 255;

// Control characters, line and paragraph separators, and characters that change the text direction.
const INVISIBLE_CHARACTERS = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Converts a user's text to a header text: one line without invisible characters, truncated to a maximum length. */
export function toHeaderLine(text: string, maxLength = MAX_LENGTH): string {
  // Truncated first, because the text may be very long.
  const line = text
    .slice(0, 4 * maxLength)
    .toWellFormed()
    .replace(INVISIBLE_CHARACTERS, ' ')
    .split(' ')
    .filter((word) => word !== '')
    .join(' ');
  const characters = [...line];
  return characters.length <= maxLength ? line : `${characters.slice(0, maxLength - 1).join('')}…`;
}

/** Returns the host of a URL of this server, for Message-Id and List-Id. */
export function getUrlHost(baseUrl: string): string {
  return new URL(baseUrl).hostname;
}

/** Returns a Message-Id such as `<issue_88@hearth.example>`. */
export function buildMessageId(name: string, host: string): string {
  return `<${name}@${host}>`;
}

/** Returns a List-Id without its brackets, at most 255 characters: `34.anvil.forge.hearth.example`. */
export function buildListId(id: number, fullPath: string, host: string): string {
  const path = fullPath
    .toLowerCase()
    .split('/')
    .reverse()
    .map((segment) => segment.replace(/[^a-z0-9]/g, '-'))
    .join('.');
  const maxPathLength = MAX_LENGTH - host.length - String(id).length - 2;
  const truncatedPath = path.slice(0, Math.max(0, maxPathLength)).replace(/\.$/, '');
  return [id, truncatedPath, host].filter((part) => part !== '').join('.');
}
