/** The only place of refusal texts: code -> status and text (or a whole body). `{name}` is filled from the refusal's values. */
export type ErrorTable = Readonly<Record<string, RefusalEntry>>;
export type RefusalEntry =
  | readonly [status: number, text: string]
  | readonly [status: number, body: Readonly<Record<string, unknown>>]
  | readonly [
      status: number,
      body: string | Readonly<Record<string, unknown>>,
      headers: Readonly<Record<string, string>>,
    ];

/** A text that is one placeholder alone takes the value as it is: an object of field errors, a number. */
export function filledText(template: string, values: Readonly<Record<string, unknown>>): unknown {
  const whole = /^\{(\w+)\}$/.exec(template)?.[1];
  if (whole !== undefined && whole in values) return values[whole];
  return template.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    name in values ? String(values[name]) : placeholder,
  );
}
