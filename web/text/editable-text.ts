import { decodeText } from './file-content.ts';

/** A file as a text that a user can edit. Text areas have only one kind of line ending, so that of the file is noted. */
interface EditableText {
  /** The content with `\n` at the end of lines. */
  readonly text: string;
  readonly lineEnding: 'LF' | 'CRLF' | 'mixed';
}

/** Reads a file in base64; null for content that is not text in UTF-8. */
export function readEditableText(base64: string): EditableText | null {
  // The byte order mark stays part of the text, so that it is written again.
  const content = decodeText(base64, true);
  return content === null ? null : { text: content.replace(/\r\n?/g, '\n'), lineEnding: findLineEnding(content) };
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
