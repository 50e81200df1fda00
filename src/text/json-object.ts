/** A parsed JSON object whose members are not validated yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Formats texts as some errors and audit events show them: `["can't be blank", "is invalid"]`. */
export function formatQuotedList(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(', ')}]`;
}
