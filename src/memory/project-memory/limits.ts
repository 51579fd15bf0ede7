// Constants of project memory that surfaces need before any of it is loaded.

/** The default budget of a brief in a prompt (tokens). */
export const BRIEF_TOKENS = 2000

export const loadables = ['session-start', 'adr', 'handoff'] as const
