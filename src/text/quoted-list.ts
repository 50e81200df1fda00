/** Formats texts as some errors and audit events show them: `["can't be blank", "is invalid"]`. */
export function formatQuotedList(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(', ')}]`;
}
