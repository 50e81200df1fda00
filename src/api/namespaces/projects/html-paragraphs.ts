const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A line of plain text as HTML. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

/** Plain text as HTML: a paragraph for each block of lines. Nothing in it is markup. */
export function paragraphs(text: string): string {
  return blocksOf(text)
    .map((block) => `<p dir="auto">${escaped(block)}</p>`)
    .join('\n');
}

/** Lines that stand together, without the blank ones between them. */
function blocksOf(text: string): string[] {
  const blocks: string[][] = [];
  let before = '';
  for (const line of text.split('\n')) {
    if (line.trim() !== '') {
      if (before.trim() === '') blocks.push([]);
      blocks.at(-1)?.push(line);
    }
    before = line;
  }
  return blocks.map((lines) => lines.join('\n').trim());
}
