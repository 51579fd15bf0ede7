import { createHash } from 'node:crypto'

/** The hash of a token that the database stores. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex')
