import { compactFieldErrors, type FieldErrors } from '#runtime/failure.ts';
import type { TopicContent } from './store.ts';

/** Validation of topics. Pure. */

const MAX_NAME_LENGTH = 255;
const MAX_DESCRIPTION_LENGTH = 1024;

/** Rejects line breaks and other control characters in a name. */
export function validateTopicCharacters(name: string): string[] {
  return /[\p{Cc}\u2028\u2029]/u.test(name) ? ['has characters that are not allowed'] : [];
}

/** Returns the errors of a topic, or null. */
export function validateTopic({ name, title, description }: TopicContent): FieldErrors | null {
  return compactFieldErrors({
    name: [...validateText(name), ...validateTopicCharacters(name)],
    title: validateText(title),
    description: validateLength(description ?? '', MAX_DESCRIPTION_LENGTH),
  });
}

function validateText(text: string): string[] {
  return text.trim() === '' ? ["can't be blank"] : validateLength(text, MAX_NAME_LENGTH);
}

function validateLength(text: string, maxLength: number): string[] {
  return [...text].length > maxLength ? [`is too long (maximum is ${maxLength} characters)`] : [];
}
