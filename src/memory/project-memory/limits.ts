// What surfaces say of project memory before any of it is read.

/** Tokens that a brief may cost a prompt, unless somebody says otherwise. */
export const BRIEF_TOKENS = 2000

export { COMPRESS_ABOVE } from '../../domain/context-health.ts'

export const loadables = ['session-start', 'adr', 'handoff'] as const
