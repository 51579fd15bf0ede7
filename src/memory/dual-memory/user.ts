/**
 * The user of the memory, from the server's environment (seed 003). Any text is valid, because it is never used as a
 * path.
 */
export const memoryUser = (environment: Readonly<Record<string, string | undefined>>): string =>
  environment['MEMORY_USER_ID'] || 'default_user'
