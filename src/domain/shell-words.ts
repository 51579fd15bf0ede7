// Words as a POSIX shell reads them.

// zsh reads `=ls` as the path of ls.
const plain = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$/

/** One word of a command line, in quotes where a shell would make something else of it. */
export const shellWord = (word: string): string => (plain.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

export const shellLine = (words: readonly string[]): string => words.map(shellWord).join(' ')

/** True where a quote that is begun has no end: whoever reads the words would have to guess. */
export const isUnclosed = (text: string): boolean => /['"\\]/.test(text.replace(/'[^']*'|"(?:\\[^]|[^"\\])*"|\\[^]/g, ''))

/** The words of a text, in which quotes and backslashes hold together what a space would part. */
export const wordsIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?:'[^']*'?|"(?:\\[^]|[^"\\])*"?|\\[^]|[^\s'"\\]|\\$)+/g)].map(([word]) =>
    word.replace(/'([^']*)'?|"((?:\\[^]|[^"\\])*)"?|\\([^]|$)/g, (_, single: string | undefined, double: string | undefined, escaped: string | undefined) =>
      single !== undefined ? single : double !== undefined ? double.replace(/\\(["\\$`])/g, '$1') : (escaped ?? ''),
    ),
  )
