/** A sentence that says what is asked, what speaks for it, and by which rule others are like it; null where each is decided by itself. */
export interface Said {
  readonly text: string
  readonly evidence: string
  readonly like: string | null
}

export const sentence = (...parts: readonly (string | null | undefined)[]): string =>
  parts.filter((part) => part).join('; ')
