/** Whose memory it is, as the environment of the server says (seed 003). Any text will do; it is never a path. */
export const memoryUser = (environment: Readonly<Record<string, string | undefined>>): string => environment['MEMORY_USER_ID'] || 'default_user'
