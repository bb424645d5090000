/** Answers of the server's commands. */

/** A string member of an answer. */
export function textOf(answer: unknown, name: string): string | undefined {
  const text = typeof answer === "object" && answer !== null ? (answer as Record<string, unknown>)[name] : undefined;
  return typeof text === "string" ? text : undefined;
}
