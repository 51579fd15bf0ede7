// What surfaces say of project memory before any of it is read.

/** Tokens that a brief may cost a prompt, unless somebody says otherwise. */
export const BRIEF_TOKENS = 2000

/** Tokens of a context above which it is compressed (seed 001). */
export const COMPRESS_ABOVE = 140_000

export const loadables = ['session-start', 'adr', 'handoff'] as const
