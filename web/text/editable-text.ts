/** A file as a text that a user can edit. Text areas have only one kind of line ending, so that of the file is noted. */
export interface EditableText {
  /** The content with `\n` at the end of lines. */
  readonly text: string;
  readonly lineEnding: 'LF' | 'CRLF' | 'mixed';
}

/** Reads a file in base64; null for content that is not text in UTF-8. */
export function readEditableText(base64: string): EditableText | null {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  if (bytes.includes(0)) return null;
  try {
    // The byte order mark stays part of the text, so that it is written again.
    const content = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text: content.replace(/\r\n?/g, '\n'), lineEnding: findLineEnding(content) };
  } catch {
    return null;
  }
}

function findLineEnding(content: string): EditableText['lineEnding'] {
  const carriageReturns = content.split('\r').length - 1;
  if (carriageReturns === 0) return 'LF';
  const pairs = content.split('\r\n').length - 1;
  const lineFeeds = content.split('\n').length - 1;
  return pairs === carriageReturns && pairs === lineFeeds ? 'CRLF' : 'mixed';
}

/** Returns the content of an edited text with the line endings that the file had. */
export function toFileContent(text: string, lineEnding: EditableText['lineEnding']): string {
  const lines = text.replace(/\r\n?/g, '\n');
  return lineEnding === 'CRLF' ? lines.replaceAll('\n', '\r\n') : lines;
}
