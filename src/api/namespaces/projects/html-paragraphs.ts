/** HTML entities by character. */
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes plain text for HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/** Converts plain text to HTML paragraphs, one for each block of lines. Markup is escaped. */
export function toHtmlParagraphs(text: string): string {
  return splitBlocks(text)
    .map((block) => `<p dir="auto">${escapeHtml(block)}</p>`)
    .join('\n');
}

/** Splits text into blocks of consecutive non-blank lines. */
function splitBlocks(text: string): string[] {
  const blocks: string[][] = [];
  let previousLine = '';
  for (const line of text.split('\n')) {
    if (line.trim() !== '') {
      if (previousLine.trim() === '') blocks.push([]);
      blocks.at(-1)?.push(line);
    }
    previousLine = line;
  }
  return blocks.map((lines) => lines.join('\n').trim());
}
