const MAX_LENGTH = 255;

/** Returns error texts for the name of a user, token or application; empty if it is valid. */
export function validateDisplayName(name: string): string[] {
  if (name.trim() === '') return ["can't be blank"];
  return [...name].length > MAX_LENGTH ? [`is too long (maximum is ${MAX_LENGTH} characters)`] : [];
}
