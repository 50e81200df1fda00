import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { filledText } from '#http/errors/error-table.ts';
import { HttpError } from '#http/errors/http-error.ts';
import type { Failure } from '#runtime/failure.ts';

/** Turns the domain's code into the status and text of the endpoint's table. */
export function refusalOf(endpoint: Endpoint, refused: Failure): HttpError {
  const entry = endpoint.errors[refused.code];
  if (entry === undefined) {
    throw new Error(`${endpoint.source}: ${endpoint.name} refuses '${refused.code}', which is not in its table`);
  }
  const [status, body, headers = {}] = entry;
  return new HttpError(
    status,
    fill(typeof body === 'string' ? { message: body } : body, refused.values),
    filledHeaders(headers, refused.values),
  );
}

/** Headers are text, numbers in them too. */
function filledHeaders(headers: Readonly<Record<string, string>>, values: Failure['values']): Record<string, string> {
  const filled = Object.entries(headers).map(([name, template]) => [name, String(filledText(template, values))]);
  return Object.fromEntries(filled) as Record<string, string>;
}

function fill(template: unknown, values: Readonly<Record<string, unknown>>): unknown {
  if (typeof template === 'string') return filledText(template, values);
  if (Array.isArray(template)) return template.map((item) => fill(item, values));
  if (typeof template === 'object' && template !== null) {
    return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, fill(value, values)]));
  }
  return template;
}
