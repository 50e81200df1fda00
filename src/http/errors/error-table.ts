/** Error code -> status, message (or a whole body) and headers. `{name}` is replaced by the value of the failure. */
export type ErrorTable = Readonly<Record<string, ErrorEntry>>;
export type ErrorEntry =
  | readonly [status: number, text: string]
  | readonly [status: number, body: Readonly<Record<string, unknown>>]
  | readonly [
      status: number,
      body: string | Readonly<Record<string, unknown>>,
      headers: Readonly<Record<string, string>>,
    ];

/** Fills the placeholders of a template. A template that is a single placeholder returns the value itself, for example an object. */
export function fillTemplate(template: string, values: Readonly<Record<string, unknown>>): unknown {
  const soleName = /^\{(\w+)\}$/.exec(template)?.[1];
  if (soleName !== undefined && soleName in values) return values[soleName];
  return template.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    name in values ? String(values[name]) : placeholder,
  );
}
