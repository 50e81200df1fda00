/** Texts of users in the headers of a mail: whatever they hold, they stay what they are there for. */

/** Characters of a header's text; longer ones are cut. */
const LONGEST = 255;

// Controls of both sets, separators of lines and paragraphs, and what turns the direction of a text around.
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The text on one line, without what does not show, and not too long. */
export function oneLine(text: string, most = LONGEST): string {
  // What is cut off is not looked at: a text may be very long.
  const line = text
    .slice(0, 4 * most)
    .toWellFormed()
    .replace(UNSEEN, ' ')
    .split(' ')
    .filter((word) => word !== '')
    .join(' ');
  const characters = [...line];
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join('')}…`;
}

/** The host of an address of this server, as Message-Ids and List-Ids name it. */
export function hostOf(baseUrl: string): string {
  return new URL(baseUrl).hostname;
}

/** `<issue_88@hearth.example>` */
export function messageId(name: string, host: string): string {
  return `<${name}@${host}>`;
}

/** Of List-Id what stands between the brackets: `34.anvil.forge.hearth.example`, 255 characters at most. */
export function listId(id: number, fullPath: string, host: string): string {
  const path = fullPath
    .toLowerCase()
    .split('/')
    .reverse()
    .map((segment) => segment.replace(/[^a-z0-9]/g, '-'))
    .join('.');
  const room = LONGEST - host.length - String(id).length - 2;
  const some = path.slice(0, Math.max(0, room)).replace(/\.$/, '');
  return [id, some, host].filter((part) => part !== '').join('.');
}
