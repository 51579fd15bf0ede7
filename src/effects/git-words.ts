/** What git said first, as the end of a sentence of ours: without its `fatal:` and its full stop. */
export const firstLineOf = (said: string): string =>
  said
    .trim()
    .split('\n')[0]!
    .replace(/^(error|fatal): /, '')
    .replace(/\.$/, '')
