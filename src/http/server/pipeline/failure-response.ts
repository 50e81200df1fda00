import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { fillTemplate } from '#http/errors/error-table.ts';
import { HttpError } from '#http/errors/http-error.ts';
import type { Failure } from '#runtime/failure.ts';

/** Converts a failure into the status and message of the endpoint's error table. */
export function toHttpError(endpoint: Endpoint, failure: Failure): HttpError {
  const entry = endpoint.errors[failure.code];
  if (entry === undefined) {
    throw new Error(
      `${endpoint.source}: ${endpoint.name} returned the failure '${failure.code}', which is not declared in its errors`,
    );
  }
  const [status, body, headers = {}] = entry;
  return new HttpError(
    status,
    fillBody(typeof body === 'string' ? { message: body } : body, failure.values),
    fillHeaders(headers, failure.values),
  );
}

/** Fills header templates; numbers become text. */
function fillHeaders(headers: Readonly<Record<string, string>>, values: Failure['values']): Record<string, string> {
  const filledHeaders = Object.entries(headers).map(([name, template]) => [
    name,
    String(fillTemplate(template, values)),
  ]);
  return Object.fromEntries(filledHeaders) as Record<string, string>;
}

function fillBody(template: unknown, values: Readonly<Record<string, unknown>>): unknown {
  if (typeof template === 'string') return fillTemplate(template, values);
  if (Array.isArray(template)) return template.map((item) => fillBody(item, values));
  if (typeof template === 'object' && template !== null) {
    return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, fillBody(value, values)]));
  }
  return template;
}
