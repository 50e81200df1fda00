/** Texts in the notation that clients know from a few errors and from audit events: `["can't be blank", "is invalid"]`. */
export function quotedList(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(', ')}]`;
}
