const LONGEST = 255;

/** What is wrong with the name of a record (a user, a token, an application), in a record's words; empty when nothing is. */
export function nameProblems(name: string): string[] {
  if (name.trim() === '') return ["can't be blank"];
  return [...name].length > LONGEST ? [`is too long (maximum is ${LONGEST} characters)`] : [];
}
