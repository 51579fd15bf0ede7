/** The first line of git's message for use inside a sentence: without `fatal:` and the full stop. */
export const firstLineOf = (said: string): string =>
  said
    .trim()
    .split('\n')[0]!
    .replace(/^(error|fatal): /, '')
    .replace(/\.$/, '')
