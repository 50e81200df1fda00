const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Plain text as HTML: a paragraph for each block of lines. Nothing in it is markup. */
export function paragraphs(text: string): string {
  const blocks = text.split(/\n\s*\n/).map((block) => block.trim());
  return blocks
    .filter((block) => block !== '')
    .map((block) => `<p dir="auto">${block.replace(/[&<>"']/g, (character) => ENTITIES[character] as string)}</p>`)
    .join('\n');
}
